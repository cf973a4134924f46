// Fences and the barrier.
#include "api/armci/job/context.hpp"
#include "api/armci/job/error.hpp"
#include "api/armci/job/traced.hpp"
#include "api/armci/symbols.hpp"

using namespace polder;
using namespace polder::armci;

extern "C" {

void PARMCI_Fence(int proc) {
  const TracedArmciCall traced(ArmciCall::Fence, {.peer = door_rank(proc)});
  Context* const context = current();
  if (context == nullptr)
    failed_outside("ARMCI_Fence");
  else
    (void)outcome("ARMCI_Fence", context->runtime().fence(Rank(proc), Timeout::block()));
}
[[gnu::weak, gnu::alias("PARMCI_Fence")]] decltype(PARMCI_Fence) ARMCI_Fence;

void PARMCI_AllFence(void) {
  const TracedArmciCall traced(ArmciCall::AllFence, {});
  Context* const context = current();
  if (context == nullptr)
    failed_outside("ARMCI_AllFence");
  else
    (void)outcome("ARMCI_AllFence", context->runtime().fence_all(Timeout::block()));
}
[[gnu::weak, gnu::alias("PARMCI_AllFence")]] decltype(PARMCI_AllFence) ARMCI_AllFence;

void PARMCI_Barrier(void) {
  const TracedArmciCall traced(ArmciCall::Barrier, {});
  Context* const context = current();
  if (context == nullptr) {
    failed_outside("ARMCI_Barrier");
    return;
  }
  Status status = context->runtime().fence_all(Timeout::block());
  if (status.ok()) status = context->barrier(*context->world);
  (void)outcome("ARMCI_Barrier", status);
}
[[gnu::weak, gnu::alias("PARMCI_Barrier")]] decltype(PARMCI_Barrier) ARMCI_Barrier;

}  // extern "C"
