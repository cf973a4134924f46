// Put and get, and the flushes that complete them.
#include "api/dart/transfer/transfer.hpp"

#include "api/dart/job/error.hpp"
#include "api/dart/job/traced.hpp"
#include "api/dart/symbols.hpp"

#include <string>
#include <utility>

using namespace polder;
using namespace polder::dart;

namespace {

TransferCall get_call(void* dest, const dart_gptr_t& gptr, std::size_t nelem, dart_datatype_t src_type,
                      dart_datatype_t dst_type) {
  return {TransferDirection::get, static_cast<std::byte*>(dest), gptr, nelem, dst_type, src_type};
}

// A put does not write through the pointer.
TransferCall put_call(const dart_gptr_t& gptr, const void* src, std::size_t nelem, dart_datatype_t src_type,
                      dart_datatype_t dst_type) {
  return {TransferDirection::put, static_cast<std::byte*>(const_cast<void*>(src)), gptr, nelem, src_type, dst_type};
}

// Units of a pointer are of its team, ranks of a trace of the job.
void note(TracedDartCall& traced, const TransferCall& call) {
  if (!traced.active()) return;
  const DartEpoch* const epoch = current_epoch();
  TargetPlace place;
  if (epoch == nullptr || !find_place(*epoch, call.remote, place) || place.part == nullptr) return;
  traced.set_peer(place.part->rank);
  std::size_t bytes = 0;
  if (TransferShape::check(call.elements, call.local_type, call.remote_type, bytes).ok()) traced.set_bytes(bytes);
}

dart_ret_t carry_out(const char* name, const TransferCall& call, const Post& post) {
  DartEpoch* const epoch = current_epoch();
  if (epoch == nullptr) [[unlikely]]
    return refused_outside(name);
  if (copied(*epoch, call)) [[likely]]
    return DART_OK;
  return guarded(name, [&] { return outcome(name, transfer(*epoch, call, post)); });
}

// With a handle, where something is under way when it returns. What has failed by then is told at once: nobody could
// ask an empty handle.
dart_ret_t carry_out_with_handle(const char* name, const TransferCall& call, dart_handle_t* handle) {
  if (handle == nullptr) return refused(name, null_argument("handle"));
  *handle = DART_HANDLE_NULL;
  Handle posted;
  const dart_ret_t answer = carry_out(name, call, posted);
  if (posted.idle()) {
    const Status ended = posted.wait(Completion::remote, Timeout::test());
    return answer != DART_OK || ended.ok() ? answer : outcome(name, ended);
  }
  return guarded(name, [&] {
    *handle = new dart_handle_struct{std::move(posted)};
    return answer;
  });
}

template <class Flush>
dart_ret_t carry_out_flush(const char* name, const dart_gptr_t& gptr, Completion completion, Flush wait) {
  return guarded(name, [&] {
    DartEpoch* const epoch = current_epoch();
    if (epoch == nullptr) return refused_outside(name);
    return outcome(name, wait(*epoch, gptr, completion));
  });
}

}  // namespace

extern "C" {

dart_ret_t dart_get(void* dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type, dart_datatype_t dst_type) {
  TracedDartCall traced(DartCall::get);
  const TransferCall call = get_call(dest, gptr, nelem, src_type, dst_type);
  note(traced, call);
  return carry_out("dart_get", call, {});
}

dart_ret_t dart_put(dart_gptr_t gptr, const void* src, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type) {
  TracedDartCall traced(DartCall::put);
  const TransferCall call = put_call(gptr, src, nelem, src_type, dst_type);
  note(traced, call);
  return carry_out("dart_put", call, {});
}

dart_ret_t dart_get_blocking(void* dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                             dart_datatype_t dst_type) {
  TracedDartCall traced(DartCall::get_blocking);
  const TransferCall call = get_call(dest, gptr, nelem, src_type, dst_type);
  note(traced, call);
  return carry_out("dart_get_blocking", call, Until::local);
}

dart_ret_t dart_put_blocking(dart_gptr_t gptr, const void* src, size_t nelem, dart_datatype_t src_type,
                             dart_datatype_t dst_type) {
  TracedDartCall traced(DartCall::put_blocking);
  const TransferCall call = put_call(gptr, src, nelem, src_type, dst_type);
  note(traced, call);
  return carry_out("dart_put_blocking", call, Until::remote);
}

dart_ret_t dart_get_handle(void* dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                           dart_datatype_t dst_type, dart_handle_t* handle) {
  TracedDartCall traced(DartCall::get_handle);
  const TransferCall call = get_call(dest, gptr, nelem, src_type, dst_type);
  note(traced, call);
  return carry_out_with_handle("dart_get_handle", call, handle);
}

dart_ret_t dart_put_handle(dart_gptr_t gptr, const void* src, size_t nelem, dart_datatype_t src_type,
                           dart_datatype_t dst_type, dart_handle_t* handle) {
  TracedDartCall traced(DartCall::put_handle);
  const TransferCall call = put_call(gptr, src, nelem, src_type, dst_type);
  note(traced, call);
  return carry_out_with_handle("dart_put_handle", call, handle);
}

dart_ret_t dart_flush(dart_gptr_t gptr) {
  const TracedDartCall traced(DartCall::flush);
  return carry_out_flush("dart_flush", gptr, Completion::remote, flush);
}

dart_ret_t dart_flush_all(dart_gptr_t gptr) {
  const TracedDartCall traced(DartCall::flush_all);
  return carry_out_flush("dart_flush_all", gptr, Completion::remote, flush_all);
}

dart_ret_t dart_flush_local(dart_gptr_t gptr) {
  const TracedDartCall traced(DartCall::flush_local);
  return carry_out_flush("dart_flush_local", gptr, Completion::local, flush);
}

dart_ret_t dart_flush_local_all(dart_gptr_t gptr) {
  const TracedDartCall traced(DartCall::flush_local_all);
  return carry_out_flush("dart_flush_local_all", gptr, Completion::local, flush_all);
}

}  // extern "C"
