#include "api/dart/job/wrong_argument.hpp"

namespace polder::dart {

std::string team_text(dart_team_t team) {
  return "team " + std::to_string(team);
}

std::string unit_text(dart_unit_t unit, dart_team_t team) {
  return "unit " + std::to_string(unit) + " of " + team_text(team);
}

Status no_such_team(dart_team_t team) {
  return {Code::invalid_group, "there is no " + team_text(team) + " with this unit in it"};
}

Status no_such_unit(dart_unit_t unit, dart_team_t team) {
  return {Code::invalid_rank, "there is no " + unit_text(unit, team)};
}

Status null_argument(const char* name) {
  return {Code::invalid_argument, std::string(name) + " is null"};
}

}  // namespace polder::dart
