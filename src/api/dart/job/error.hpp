// What a call returns, and what it says: wrong use is refused and told, a failing network ends the job.
#pragma once

#include "api/dart/symbols.hpp"

#include <polder/status.hpp>

#include <exception>
#include <new>
#include <string>

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

// "team 7", "unit 3 of team 0" for texts.
std::string team_text(dart_team_t team);
std::string unit_text(dart_unit_t unit, dart_team_t team);

Status no_such_team(dart_team_t team);
Status no_such_unit(dart_unit_t unit, dart_team_t team);
Status null_argument(const char* name);

// What dart_config hands out.
dart_config_t& configuration();

}  // namespace polder::dart
