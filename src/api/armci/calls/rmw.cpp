// ARMCI_Rmw.
#include "api/armci/job/context.hpp"
#include "api/armci/job/error.hpp"
#include "api/armci/job/traced.hpp"
#include "api/armci/symbols.hpp"
#include "api/armci/transfer/transfer.hpp"

#include <cstring>
#include <string>

using namespace polder;
using namespace polder::armci;

namespace {

template <class T>
Status store(const Result<T>& old, void* place) {
  if (!old.ok()) return old.status();
  std::memcpy(place, &*old, sizeof(T));
  return {};
}

template <class T>
T operand_at(const void* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

// Memory that only this rank can reach; several of its threads may.
template <class T>
Status modify_privately(bool add, void* ploc, void* prem, T value) {
  if (reinterpret_cast<std::uintptr_t>(prem) % sizeof(T) != 0)
    return {Code::invalid_alignment, "the address is not aligned to " + std::to_string(sizeof(T)) + " bytes"};
  auto* const word = static_cast<T*>(prem);
  return store<T>(
      add ? __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL) : __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL),
      ploc);
}

template <class T>
Status modify(Context& context, bool add, void* ploc, void* prem, T value, int proc) {
  if (const auto place = context.addresses.find(Rank(proc), prem)) [[likely]]
    return store<T>(add ? context.runtime().fetch_add(*place, value) : context.runtime().swap(*place, value), ploc);
  Status status = check_private(context, prem, ploc, proc);
  return status.ok() ? modify_privately<T>(add, ploc, prem, value) : status;
}

Status modify_as(Context& context, int op, void* ploc, void* prem, int value, int proc) {
  if (ploc == nullptr) return {Code::invalid_argument, "the local address is NULL"};
  switch (op) {
    case ARMCI_FETCH_AND_ADD: return modify<int>(context, true, ploc, prem, value, proc);
    case ARMCI_FETCH_AND_ADD_LONG: return modify<long>(context, true, ploc, prem, value, proc);
    case ARMCI_SWAP: return modify<int>(context, false, ploc, prem, operand_at<int>(ploc), proc);
    case ARMCI_SWAP_LONG: return modify<long>(context, false, ploc, prem, operand_at<long>(ploc), proc);
    default: return {Code::invalid_argument, "there is no operation " + std::to_string(op)};
  }
}

}  // namespace

extern "C" {

int PARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc) {
  const TracedArmciCall traced(ArmciCall::Rmw, {.peer = door_rank(proc), .value = unsigned(op)});
  Context* const context = current();
  if (context == nullptr) [[unlikely]]
    return failed_outside("ARMCI_Rmw");
  return outcome("ARMCI_Rmw", modify_as(*context, op, ploc, prem, value, proc));
}
[[gnu::weak, gnu::alias("PARMCI_Rmw")]] decltype(PARMCI_Rmw) ARMCI_Rmw;

}  // extern "C"
