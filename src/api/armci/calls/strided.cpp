// Transfers of patches of arrays.
#include "api/armci/calls/strided.hpp"
#include "api/armci/job/traced.hpp"

#include "api/armci/transfer/element.hpp"
#include "api/armci/transfer/strides.hpp"

namespace polder::armci {
namespace {

int get_patch(const char* call, const Patch& patch, Mode mode) {
  Context* const context = current();
  if (context == nullptr) [[unlikely]]
    return failed_outside(call);
  const auto strides = Strides::make(patch.target_strides, patch.source_strides, patch.count, patch.levels);
  if (!strides.ok()) return failed(call, strides.status());
  if (strides->empty()) return 0;
  if (strides->contiguous())
    return outcome(call, get(*context, patch.source, patch.target, strides->bytes(), patch.proc, mode));
  return outcome(call, get(*context, patch.source, patch.target, Shape(strides->strided()), patch.proc, mode));
}

int accumulate_patch(const char* call, int datatype, const void* scale, const Patch& patch, Mode mode) {
  Context* const context = current();
  if (context == nullptr) [[unlikely]]
    return failed_outside(call);
  const auto how = accumulation(datatype, scale);
  if (!how.ok()) return failed(call, how.status());
  const auto strides = Strides::make(patch.source_strides, patch.target_strides, patch.count, patch.levels);
  if (!strides.ok()) return failed(call, strides.status());
  if (strides->empty()) return 0;
  const Shape shape = strides->contiguous() ? Shape(strides->bytes()) : Shape(strides->strided());
  return outcome(call, accumulate(*context, *how, patch.source, patch.target, shape, patch.proc, mode));
}

}  // namespace

int put_patch(const char* call, const Patch& patch, Mode mode) {
  Context* const context = current();
  if (context == nullptr) [[unlikely]]
    return failed_outside(call);
  const auto strides = Strides::make(patch.source_strides, patch.target_strides, patch.count, patch.levels);
  if (!strides.ok()) return failed(call, strides.status());
  if (strides->empty()) return 0;
  if (strides->contiguous())
    return outcome(call, put(*context, patch.source, patch.target, strides->bytes(), patch.proc, mode));
  return outcome(call, put(*context, patch.source, patch.target, Shape(strides->strided()), patch.proc, mode));
}

}  // namespace polder::armci

using namespace polder::armci;

extern "C" {

int PARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                int proc) {
  const TracedArmciCall traced(ArmciCall::PutS, {.peer = door_rank(proc)});
  return put_patch("ARMCI_PutS", {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc},
                   until_done());
}
[[gnu::weak, gnu::alias("PARMCI_PutS")]] decltype(PARMCI_PutS) ARMCI_PutS;

int PARMCI_GetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                int proc) {
  const TracedArmciCall traced(ArmciCall::GetS, {.peer = door_rank(proc)});
  return get_patch("ARMCI_GetS", {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc},
                   until_done());
}
[[gnu::weak, gnu::alias("PARMCI_GetS")]] decltype(PARMCI_GetS) ARMCI_GetS;

int PARMCI_AccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                int count[], int stride_levels, int proc) {
  const TracedArmciCall traced(ArmciCall::AccS, {.peer = door_rank(proc)});
  return accumulate_patch("ARMCI_AccS", datatype, scale,
                          {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc}, until_done());
}
[[gnu::weak, gnu::alias("PARMCI_AccS")]] decltype(PARMCI_AccS) ARMCI_AccS;

int PARMCI_NbPutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
                  int stride_levels, int proc, armci_hdl_t* hdl) {
  const TracedArmciCall traced(ArmciCall::NbPutS, {.peer = door_rank(proc)});
  return put_patch("ARMCI_NbPutS", {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc},
                   posted(hdl));
}
[[gnu::weak, gnu::alias("PARMCI_NbPutS")]] decltype(PARMCI_NbPutS) ARMCI_NbPutS;

int PARMCI_NbGetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
                  int stride_levels, int proc, armci_hdl_t* hdl) {
  const TracedArmciCall traced(ArmciCall::NbGetS, {.peer = door_rank(proc)});
  return get_patch("ARMCI_NbGetS", {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc},
                   posted(hdl));
}
[[gnu::weak, gnu::alias("PARMCI_NbGetS")]] decltype(PARMCI_NbGetS) ARMCI_NbGetS;

int PARMCI_NbAccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t* hdl) {
  const TracedArmciCall traced(ArmciCall::NbAccS, {.peer = door_rank(proc)});
  return accumulate_patch("ARMCI_NbAccS", datatype, scale,
                          {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc}, posted(hdl));
}
[[gnu::weak, gnu::alias("PARMCI_NbAccS")]] decltype(PARMCI_NbAccS) ARMCI_NbAccS;

}  // extern "C"
