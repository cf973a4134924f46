// What is said of arguments that are wrong.
#pragma once

#include "api/dart/symbols.hpp"

#include <polder/status.hpp>

#include <string>

namespace polder::dart {

// "team 7", "unit 3 of team 0" for texts.
std::string team_text(dart_team_t team);
std::string unit_text(dart_unit_t unit, dart_team_t team);

Status no_such_team(dart_team_t team);
Status no_such_unit(dart_unit_t unit, dart_team_t team);
Status null_argument(const char* name);

}  // namespace polder::dart
