// Put and flag: who sees the value sees the data.
#include "api/armci/calls/strided.hpp"
#include "api/armci/job/traced.hpp"

#include <atomic>

using namespace polder;
using namespace polder::armci;

namespace {

// On memory that this rank stores to, the stores before are ordered before the flag's; elsewhere they are awaited.
int raise(const char* call, int* flag, int value, int proc) {
  Context& context = *current();
  if (proc != int(context.rank()))
    if (Status status = context.runtime().fence(Rank(proc), Timeout::block()); !status.ok())
      return failed(call, status);
  std::atomic_thread_fence(std::memory_order_release);
  return outcome(call, put(context, &value, flag, sizeof value, proc, until_done()));
}

}  // namespace

extern "C" {

int PARMCI_Put_flag(void* src, void* dst, int size, int* flag, int value, int proc) {
  const TracedArmciCall traced(ArmciCall::Put_flag, {.peer = door_rank(proc), .bytes = door_bytes(size)});
  const int put = put_patch("ARMCI_Put_flag", {src, nullptr, dst, nullptr, &size, 0, proc}, until_done());
  return put != 0 ? put : raise("ARMCI_Put_flag", flag, value, proc);
}
[[gnu::weak, gnu::alias("PARMCI_Put_flag")]] decltype(PARMCI_Put_flag) ARMCI_Put_flag;

int PARMCI_PutS_flag(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
                     int stride_levels, int* flag, int value, int proc) {
  const TracedArmciCall traced(ArmciCall::PutS_flag, {.peer = door_rank(proc)});
  const int put = put_patch("ARMCI_PutS_flag",
                            {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc}, until_done());
  return put != 0 ? put : raise("ARMCI_PutS_flag", flag, value, proc);
}
[[gnu::weak, gnu::alias("PARMCI_PutS_flag")]] decltype(PARMCI_PutS_flag) ARMCI_PutS_flag;

}  // extern "C"
