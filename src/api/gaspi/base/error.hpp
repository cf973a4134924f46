// Return codes: from Polder's Status, and for what this adapter finds wrong itself.
#pragma once

#include "api/gaspi/base/symbols.hpp"

#include <polder/status.hpp>

#include <cassert>
#include <new>
#include <string>
#include <utility>

namespace polder::gaspi {

// The GASPI code of an outcome. invalid_offset becomes the remote one: local offsets are checked before Polder is
// asked.
gaspi_return_t to_gaspi(Code code);

// What gaspi_print_error says of `code`; "unknown error code" for what is none. Static text.
const char* text_of(gaspi_return_t code);

// Keeps the message of `status` for gaspi_error_detail(), says it on standard error if the code alone says nothing
// (reasons.hpp), and returns the code.
gaspi_return_t failed(const Status& status);

// Likewise of a start, which ends most programs: the reason is said whatever the code, because the code of an unknown
// device or a misspelt variable does not name it.
gaspi_return_t failed_to_start(const Status& status);

inline gaspi_return_t outcome(const Status& status) {
  if (status.ok()) [[likely]]
    return GASPI_SUCCESS;
  return failed(status);
}

// Whether there was no room below: in the device, or on the way to it. To GASPI that is a timeout: the call may be
// repeated. Whether a queue is full is GASPI's own count.
inline bool lacks_room(const Status& status) {
  return status.timed_out() || status.code() == Code::queue_full;
}

// Keeps "operation: text" for gaspi_error_detail(), and returns `code`. `value`, where given, ends the sentence: "...,
// not 7".
gaspi_return_t refuse(gaspi_return_t code, const char* operation, const char* text);
gaspi_return_t refuse(gaspi_return_t code, const char* operation, const char* text, unsigned long value);

// Promises whoever reads only this file, the analyzer of clang-tidy for one, that a refusal is no success.
inline gaspi_return_t refused(gaspi_return_t code) {
  assert(code != GASPI_SUCCESS);
  return code;
}

// GASPI_ERROR of a call that waited when the program ended its GASPI. Nothing is wrong, so nothing is said.
gaspi_return_t ended_by_term(const char* operation);

// A code that a call returns without a sentence, GASPI_TIMEOUT for one; noted in the trace.
gaspi_return_t in_trace(gaspi_return_t code);

// The refusals that most calls share.
gaspi_return_t refuse_null(const char* operation, const char* argument);
gaspi_return_t refuse_before_init(const char* operation);

// The sentence about this thread's last error; empty if there was none.
const char* last_detail();

// Runs `body`, whose bookkeeping may allocate, and turns a failure to do so into a code: no exception may reach C.
template <class Body>
gaspi_return_t guarded(const char* operation, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return refuse(GASPI_ERR_MEMALLOC, operation, "out of memory");
  } catch (const std::exception& problem) {
    return refuse(GASPI_ERROR, operation, problem.what());
  }
}

}  // namespace polder::gaspi
