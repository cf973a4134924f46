// Transfers of a block of bytes.
#include "api/armci/job/traced.hpp"
#include "api/armci/transfer/element.hpp"
#include "api/armci/transfer/transfer.hpp"

#include <cstring>

using namespace polder;
using namespace polder::armci;

namespace {

int put_block(const char* call, void* src, void* dst, int bytes, int proc, Mode mode) {
  Context* const context = current();
  if (context == nullptr) [[unlikely]]
    return failed_outside(call);
  if (bytes <= 0) [[unlikely]]
    return bytes == 0 ? 0 : failed(call, negative_size(bytes));
  return outcome(call, put(*context, src, dst, std::size_t(bytes), proc, mode));
}

int get_block(const char* call, void* src, void* dst, int bytes, int proc, Mode mode) {
  Context* const context = current();
  if (context == nullptr) [[unlikely]]
    return failed_outside(call);
  if (bytes <= 0) [[unlikely]]
    return bytes == 0 ? 0 : failed(call, negative_size(bytes));
  return outcome(call, get(*context, src, dst, std::size_t(bytes), proc, mode));
}

int accumulate_block(const char* call, int datatype, void* scale, void* src, void* dst, int bytes, int proc,
                     Mode mode) {
  Context* const context = current();
  if (context == nullptr) [[unlikely]]
    return failed_outside(call);
  const auto how = accumulation(datatype, scale);
  if (!how.ok()) return failed(call, how.status());
  if (bytes <= 0) [[unlikely]]
    return bytes == 0 ? 0 : failed(call, negative_size(bytes));
  return outcome(call, accumulate(*context, *how, src, dst, std::size_t(bytes), proc, mode));
}

}  // namespace

extern "C" {

int PARMCI_Put(void* src, void* dst, int size, int target) {
  const TracedArmciCall traced(ArmciCall::Put, {.peer = door_rank(target), .bytes = door_bytes(size)});
  return put_block("ARMCI_Put", src, dst, size, target, until_done());
}
[[gnu::weak, gnu::alias("PARMCI_Put")]] decltype(PARMCI_Put) ARMCI_Put;

int PARMCI_Get(void* src, void* dst, int size, int target) {
  const TracedArmciCall traced(ArmciCall::Get, {.peer = door_rank(target), .bytes = door_bytes(size)});
  return get_block("ARMCI_Get", src, dst, size, target, until_done());
}
[[gnu::weak, gnu::alias("PARMCI_Get")]] decltype(PARMCI_Get) ARMCI_Get;

int PARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc) {
  const TracedArmciCall traced(ArmciCall::Acc, {.peer = door_rank(proc), .bytes = door_bytes(bytes)});
  return accumulate_block("ARMCI_Acc", datatype, scale, src, dst, bytes, proc, until_done());
}
[[gnu::weak, gnu::alias("PARMCI_Acc")]] decltype(PARMCI_Acc) ARMCI_Acc;

void PARMCI_Copy(void* src, void* dst, int size) {
  if (size > 0) std::memmove(dst, src, std::size_t(size));
}
[[gnu::weak, gnu::alias("PARMCI_Copy")]] decltype(PARMCI_Copy) ARMCI_Copy;

int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl) {
  const TracedArmciCall traced(ArmciCall::NbPut, {.peer = door_rank(proc), .bytes = door_bytes(bytes)});
  return put_block("ARMCI_NbPut", src, dst, bytes, proc, posted(hdl));
}
[[gnu::weak, gnu::alias("PARMCI_NbPut")]] decltype(PARMCI_NbPut) ARMCI_NbPut;

int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl) {
  const TracedArmciCall traced(ArmciCall::NbGet, {.peer = door_rank(proc), .bytes = door_bytes(bytes)});
  return get_block("ARMCI_NbGet", src, dst, bytes, proc, posted(hdl));
}
[[gnu::weak, gnu::alias("PARMCI_NbGet")]] decltype(PARMCI_NbGet) ARMCI_NbGet;

int PARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl) {
  const TracedArmciCall traced(ArmciCall::NbAcc, {.peer = door_rank(proc), .bytes = door_bytes(bytes)});
  return accumulate_block("ARMCI_NbAcc", datatype, scale, src, dst, bytes, proc, posted(hdl));
}
[[gnu::weak, gnu::alias("PARMCI_NbAcc")]] decltype(PARMCI_NbAcc) ARMCI_NbAcc;

}  // extern "C"
