// Single values, passed and returned as such.
#include "api/armci/job/traced.hpp"
#include "api/armci/transfer/transfer.hpp"

using namespace polder;
using namespace polder::armci;

namespace {

template <class T>
int put_value(const char* call, T value, void* target, int proc) {
  Context* const context = current();
  if (context == nullptr) [[unlikely]]
    return failed_outside(call);
  return outcome(call, put(*context, &value, target, sizeof value, proc, until_done()));
}

// Zero after an error that does not end the program.
template <class T>
T get_value(const char* call, void* source, int proc) {
  T value{};
  Context* const context = current();
  if (context == nullptr) [[unlikely]]
    failed_outside(call);
  else
    (void)outcome(call, get(*context, source, &value, sizeof value, proc, until_done()));
  return value;
}

}  // namespace

extern "C" {

int PARMCI_PutValueInt(int src, void* dst, int proc) {
  const TracedArmciCall traced(ArmciCall::PutValueInt, {.peer = door_rank(proc)});
  return put_value("ARMCI_PutValueInt", src, dst, proc);
}
[[gnu::weak, gnu::alias("PARMCI_PutValueInt")]] decltype(PARMCI_PutValueInt) ARMCI_PutValueInt;

int PARMCI_PutValueLong(long src, void* dst, int proc) {
  const TracedArmciCall traced(ArmciCall::PutValueLong, {.peer = door_rank(proc)});
  return put_value("ARMCI_PutValueLong", src, dst, proc);
}
[[gnu::weak, gnu::alias("PARMCI_PutValueLong")]] decltype(PARMCI_PutValueLong) ARMCI_PutValueLong;

int PARMCI_PutValueFloat(float src, void* dst, int proc) {
  const TracedArmciCall traced(ArmciCall::PutValueFloat, {.peer = door_rank(proc)});
  return put_value("ARMCI_PutValueFloat", src, dst, proc);
}
[[gnu::weak, gnu::alias("PARMCI_PutValueFloat")]] decltype(PARMCI_PutValueFloat) ARMCI_PutValueFloat;

int PARMCI_PutValueDouble(double src, void* dst, int proc) {
  const TracedArmciCall traced(ArmciCall::PutValueDouble, {.peer = door_rank(proc)});
  return put_value("ARMCI_PutValueDouble", src, dst, proc);
}
[[gnu::weak, gnu::alias("PARMCI_PutValueDouble")]] decltype(PARMCI_PutValueDouble) ARMCI_PutValueDouble;

// The value lives in this call only, so it must have left when the call returns: the handle has nothing to wait for.
int PARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t*) {
  const TracedArmciCall traced(ArmciCall::NbPutValueInt, {.peer = door_rank(proc)});
  return put_value("ARMCI_NbPutValueInt", src, dst, proc);
}
[[gnu::weak, gnu::alias("PARMCI_NbPutValueInt")]] decltype(PARMCI_NbPutValueInt) ARMCI_NbPutValueInt;

int PARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t*) {
  const TracedArmciCall traced(ArmciCall::NbPutValueLong, {.peer = door_rank(proc)});
  return put_value("ARMCI_NbPutValueLong", src, dst, proc);
}
[[gnu::weak, gnu::alias("PARMCI_NbPutValueLong")]] decltype(PARMCI_NbPutValueLong) ARMCI_NbPutValueLong;

int PARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t*) {
  const TracedArmciCall traced(ArmciCall::NbPutValueFloat, {.peer = door_rank(proc)});
  return put_value("ARMCI_NbPutValueFloat", src, dst, proc);
}
[[gnu::weak, gnu::alias("PARMCI_NbPutValueFloat")]] decltype(PARMCI_NbPutValueFloat) ARMCI_NbPutValueFloat;

int PARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t*) {
  const TracedArmciCall traced(ArmciCall::NbPutValueDouble, {.peer = door_rank(proc)});
  return put_value("ARMCI_NbPutValueDouble", src, dst, proc);
}
[[gnu::weak, gnu::alias("PARMCI_NbPutValueDouble")]] decltype(PARMCI_NbPutValueDouble) ARMCI_NbPutValueDouble;

int PARMCI_GetValueInt(void* src, int proc) {
  const TracedArmciCall traced(ArmciCall::GetValueInt, {.peer = door_rank(proc)});
  return get_value<int>("ARMCI_GetValueInt", src, proc);
}
[[gnu::weak, gnu::alias("PARMCI_GetValueInt")]] decltype(PARMCI_GetValueInt) ARMCI_GetValueInt;

long PARMCI_GetValueLong(void* src, int proc) {
  const TracedArmciCall traced(ArmciCall::GetValueLong, {.peer = door_rank(proc)});
  return get_value<long>("ARMCI_GetValueLong", src, proc);
}
[[gnu::weak, gnu::alias("PARMCI_GetValueLong")]] decltype(PARMCI_GetValueLong) ARMCI_GetValueLong;

float PARMCI_GetValueFloat(void* src, int proc) {
  const TracedArmciCall traced(ArmciCall::GetValueFloat, {.peer = door_rank(proc)});
  return get_value<float>("ARMCI_GetValueFloat", src, proc);
}
[[gnu::weak, gnu::alias("PARMCI_GetValueFloat")]] decltype(PARMCI_GetValueFloat) ARMCI_GetValueFloat;

double PARMCI_GetValueDouble(void* src, int proc) {
  const TracedArmciCall traced(ArmciCall::GetValueDouble, {.peer = door_rank(proc)});
  return get_value<double>("ARMCI_GetValueDouble", src, proc);
}
[[gnu::weak, gnu::alias("PARMCI_GetValueDouble")]] decltype(PARMCI_GetValueDouble) ARMCI_GetValueDouble;

}  // extern "C"
