// Mutexes: one set of them at a time, as the interface has it.
#include "api/armci/job/context.hpp"
#include "api/armci/job/error.hpp"
#include "api/armci/job/traced.hpp"
#include "api/armci/symbols.hpp"

#include <string>

using namespace polder;
using namespace polder::armci;

namespace {

Status create(Context& context, int count) {
  if (count < 0) return {Code::invalid_argument, std::to_string(count) + " mutexes"};
  if (context.mutexes != nullptr) return {Code::exists, "there are mutexes already; destroy them first"};
  // When all have come, none is held up in MPI, and the rest can be waited for at a stretch.
  if (Status status = context.barrier(*context.world); !status.ok()) return status;
  auto made = context.runtime().create_mutexes(context.world->group(), std::size_t(count), Timeout::block());
  if (!made.ok()) return std::move(made).status();
  context.mutexes = *std::move(made);
  return {};
}

Status destroy(Context& context) {
  if (context.mutexes == nullptr) return {Code::invalid_argument, "there are no mutexes"};
  Status status = context.wait([&](Timeout slice) { return context.mutexes->destroy(slice); });
  context.mutexes.reset();
  context.held.clear();
  return status;
}

Status check(const Context& context, int mutex, int proc) {
  if (context.mutexes == nullptr) return {Code::invalid_argument, "there are no mutexes"};
  if (proc < 0 || mutex < 0)
    return {Code::invalid_argument, "mutex " + std::to_string(mutex) + " of rank " + std::to_string(proc)};
  return {};
}

Status lock(Context& context, int mutex, int proc) {
  if (Status status = check(context, mutex, proc); !status.ok()) return status;
  if (context.held.held_by_this_thread(mutex, proc))
    return {Code::invalid_argument, "this thread holds mutex " + std::to_string(mutex) + " of rank " +
                                        std::to_string(proc) + " already, and would wait for itself"};
  Status status = context.wait([&](Timeout slice) {
    return context.mutexes->lock({Rank(proc), std::size_t(mutex)}, slice);
  });
  if (status.ok() || status.code() == Code::owner_died) context.held.add(mutex, proc);
  return status;
}

Status unlock(Context& context, int mutex, int proc) {
  if (Status status = check(context, mutex, proc); !status.ok()) return status;
  // Before another thread can have it.
  const bool mine = context.held.held_by_this_thread(mutex, proc);
  context.held.remove(mutex, proc);
  Status status = context.mutexes->unlock({Rank(proc), std::size_t(mutex)});
  if (!status.ok() && mine) context.held.add(mutex, proc);
  return status;
}

}  // namespace

extern "C" {

int PARMCI_Create_mutexes(int count) {
  const TracedArmciCall traced(ArmciCall::Create_mutexes, {});
  if (current() == nullptr) return failed_outside("ARMCI_Create_mutexes");
  return outcome("ARMCI_Create_mutexes", create(*current(), count));
}
[[gnu::weak, gnu::alias("PARMCI_Create_mutexes")]] decltype(PARMCI_Create_mutexes) ARMCI_Create_mutexes;

int PARMCI_Destroy_mutexes(void) {
  const TracedArmciCall traced(ArmciCall::Destroy_mutexes, {});
  if (current() == nullptr) return failed_outside("ARMCI_Destroy_mutexes");
  return outcome("ARMCI_Destroy_mutexes", destroy(*current()));
}
[[gnu::weak, gnu::alias("PARMCI_Destroy_mutexes")]] decltype(PARMCI_Destroy_mutexes) ARMCI_Destroy_mutexes;

void PARMCI_Lock(int mutex, int proc) {
  const TracedArmciCall traced(ArmciCall::Lock, {.peer = door_rank(proc), .value = unsigned(mutex)});
  if (current() == nullptr)
    failed_outside("ARMCI_Lock");
  else
    (void)outcome("ARMCI_Lock", lock(*current(), mutex, proc));
}
[[gnu::weak, gnu::alias("PARMCI_Lock")]] decltype(PARMCI_Lock) ARMCI_Lock;

void PARMCI_Unlock(int mutex, int proc) {
  const TracedArmciCall traced(ArmciCall::Unlock, {.peer = door_rank(proc), .value = unsigned(mutex)});
  if (current() == nullptr)
    failed_outside("ARMCI_Unlock");
  else
    (void)outcome("ARMCI_Unlock", unlock(*current(), mutex, proc));
}
[[gnu::weak, gnu::alias("PARMCI_Unlock")]] decltype(PARMCI_Unlock) ARMCI_Unlock;

}  // extern "C"
