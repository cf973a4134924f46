// Waiting for single transfers. A null handle is complete.
#include "api/dart/job/error.hpp"
#include "api/dart/job/traced.hpp"
#include "api/dart/symbols.hpp"
#include "api/dart/transfer/transfer.hpp"

#include <cstddef>

using namespace polder;
using namespace polder::dart;

namespace {

void forget(dart_handle_t& handle) {
  delete handle;
  handle = DART_HANDLE_NULL;
}

dart_ret_t wait_for_all(const char* name, dart_handle_t* handles, std::size_t count, Completion completion) {
  return guarded(name, [&] {
    dart_ret_t answer = DART_OK;
    for (std::size_t i = 0; handles != nullptr && i < count; ++i) {
      if (handles[i] == DART_HANDLE_NULL) continue;
      const Status status = handles[i]->posted.wait(completion, Timeout::block());
      forget(handles[i]);
      if (!status.ok()) answer = refused(name, status);
    }
    return answer;
  });
}

// Frees all if all are complete, else none.
dart_ret_t test_all(const char* name, dart_handle_t* handles, std::size_t count, Completion completion,
                    int32_t* finished) {
  return guarded(name, [&] {
    if (finished == nullptr) return refused(name, null_argument("the result"));
    *finished = 1;
    if (handles == nullptr) return DART_OK;
    dart_ret_t answer = DART_OK;
    for (std::size_t i = 0; i < count; ++i) {
      if (handles[i] == DART_HANDLE_NULL) continue;
      const Status status = handles[i]->posted.wait(completion, Timeout::test());
      if (status.timed_out()) {
        *finished = 0;
        if (DartEpoch* const epoch = current_epoch(); epoch != nullptr) let_others_go_on(*epoch);
        return DART_OK;
      }
      if (!status.ok()) answer = refused(name, status);
    }
    for (std::size_t i = 0; i < count; ++i) forget(handles[i]);
    return answer;
  });
}

}  // namespace

extern "C" {

dart_ret_t dart_wait(dart_handle_t* handle) {
  const TracedDartCall traced(DartCall::wait);
  return wait_for_all("dart_wait", handle, 1, Completion::remote);
}

dart_ret_t dart_wait_local(dart_handle_t* handle) {
  const TracedDartCall traced(DartCall::wait_local);
  return wait_for_all("dart_wait_local", handle, 1, Completion::local);
}

dart_ret_t dart_waitall(dart_handle_t handles[], size_t n) {
  const TracedDartCall traced(DartCall::waitall);
  return wait_for_all("dart_waitall", handles, n, Completion::remote);
}

dart_ret_t dart_waitall_local(dart_handle_t handles[], size_t n) {
  const TracedDartCall traced(DartCall::waitall_local);
  return wait_for_all("dart_waitall_local", handles, n, Completion::local);
}

dart_ret_t dart_test(dart_handle_t* handleptr, int32_t* is_finished) {
  const TracedDartCall traced(DartCall::test);
  return test_all("dart_test", handleptr, 1, Completion::remote, is_finished);
}

dart_ret_t dart_test_local(dart_handle_t* handle, int32_t* result) {
  const TracedDartCall traced(DartCall::test_local);
  return test_all("dart_test_local", handle, 1, Completion::local, result);
}

dart_ret_t dart_testall(dart_handle_t handles[], size_t n, int32_t* is_finished) {
  const TracedDartCall traced(DartCall::testall);
  return test_all("dart_testall", handles, n, Completion::remote, is_finished);
}

dart_ret_t dart_testall_local(dart_handle_t handles[], size_t n, int32_t* result) {
  const TracedDartCall traced(DartCall::testall_local);
  return test_all("dart_testall_local", handles, n, Completion::local, result);
}

dart_ret_t dart_handle_free(dart_handle_t* handle) {
  if (handle != nullptr) forget(*handle);
  return DART_OK;
}

}  // extern "C"
