// Handles, and waiting for what was posted.
#include "api/armci/job/context.hpp"
#include "api/armci/job/error.hpp"
#include "api/armci/job/traced.hpp"
#include "api/armci/symbols.hpp"

#include <string>

using namespace polder;
using namespace polder::armci;

namespace {

// Failures of operations without a handle are told by the queue that they went to, and so are those of a handle that
// was waited for before they came.
Status wait_for_implicit(Runtime& runtime) {
  return runtime.queue().wait(Completion::local, Timeout::block());
}

// It stands for the waits for all handles, so it tells what failed behind them.
Status wait_for_all(Context& context) {
  Status status = context.runtime().wait_all(Completion::local, Timeout::block());
  if (!status.ok()) return status;
  status = wait_for_implicit(context.runtime());
  Status of_handles = context.handles.end_all();
  return status.ok() ? of_handles : status;
}

}  // namespace

extern "C" {

void PARMCI_INIT_HANDLE(armci_hdl_t* hdl) {
  if (hdl != nullptr) *hdl = {0, 0};
}
[[gnu::weak, gnu::alias("PARMCI_INIT_HANDLE")]] decltype(PARMCI_INIT_HANDLE) ARMCI_INIT_HANDLE;

void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
  if (handle != nullptr) handle->aggregate = 1;
}
[[gnu::weak,
  gnu::alias("PARMCI_SET_AGGREGATE_HANDLE")]] decltype(PARMCI_SET_AGGREGATE_HANDLE) ARMCI_SET_AGGREGATE_HANDLE;

void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
  if (handle != nullptr) handle->aggregate = 0;
}
[[gnu::weak,
  gnu::alias("PARMCI_UNSET_AGGREGATE_HANDLE")]] decltype(PARMCI_UNSET_AGGREGATE_HANDLE) ARMCI_UNSET_AGGREGATE_HANDLE;

int PARMCI_Wait(armci_hdl_t* hdl) {
  const TracedArmciCall traced(ArmciCall::Wait, {});
  Context* const context = current();
  if (context == nullptr) return failed_outside("ARMCI_Wait");
  if (hdl == nullptr) return outcome("ARMCI_Wait", wait_for_implicit(context->runtime()));
  return outcome("ARMCI_Wait", context->handles.wait(*hdl, Timeout::block()));
}
[[gnu::weak, gnu::alias("PARMCI_Wait")]] decltype(PARMCI_Wait) ARMCI_Wait;

int PARMCI_Test(armci_hdl_t* hdl) {
  const TracedArmciCall traced(ArmciCall::Test, {});
  Context* const context = current();
  if (context == nullptr) return failed_outside("ARMCI_Test");
  if (hdl == nullptr) return 0;
  const Status status = context->handles.wait(*hdl, Timeout::test());
  if (status.timed_out()) return 1;
  (void)outcome("ARMCI_Test", status);
  return 0;
}
[[gnu::weak, gnu::alias("PARMCI_Test")]] decltype(PARMCI_Test) ARMCI_Test;

int PARMCI_WaitProc(int proc) {
  const TracedArmciCall traced(ArmciCall::WaitProc, {.peer = door_rank(proc)});
  Context* const context = current();
  if (context == nullptr) return failed_outside("ARMCI_WaitProc");
  return outcome("ARMCI_WaitProc", context->runtime().wait_for(Rank(proc), Completion::local, Timeout::block()));
}
[[gnu::weak, gnu::alias("PARMCI_WaitProc")]] decltype(PARMCI_WaitProc) ARMCI_WaitProc;

int PARMCI_WaitAll(void) {
  const TracedArmciCall traced(ArmciCall::WaitAll, {});
  Context* const context = current();
  if (context == nullptr) return failed_outside("ARMCI_WaitAll");
  return outcome("ARMCI_WaitAll", wait_for_all(*context));
}
[[gnu::weak, gnu::alias("PARMCI_WaitAll")]] decltype(PARMCI_WaitAll) ARMCI_WaitAll;

}  // extern "C"
