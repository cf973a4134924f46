// What a call returns, and what it says: wrong use is refused and told, a failing network ends the job.
#pragma once

#include "api/dart/job/wrong_argument.hpp"
#include "api/dart/symbols.hpp"

#include <polder/status.hpp>

#include <exception>
#include <new>

namespace polder::dart {

// The interface knows only a few errors. A peer or a network that fails ends the job here, as no caller would look.
dart_ret_t refused(const char* call, const Status& status);

inline dart_ret_t outcome(const char* call, const Status& status) {
  return status.ok() ? DART_OK : refused(call, status);
}

dart_ret_t refused_outside(const char* call);

// Of a call whose `body` may allocate: no exception leaves it.
template <class Body>
dart_ret_t guarded(const char* call, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return refused(call, Code::out_of_memory);
  } catch (const std::exception& error) {
    return refused(call, Status(Code::system, error.what()));
  }
}

// What dart_config hands out.
dart_config_t& configuration();

}  // namespace polder::dart
