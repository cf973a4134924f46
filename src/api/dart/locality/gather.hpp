// Members of a team tell each other where they run.
#pragma once

#include "api/dart/job/team.hpp"
#include "api/dart/symbols.hpp"

#include <polder/status.hpp>

namespace polder::dart {

// Collective over the team, whose members say what their hardware is, and nothing but a success where it has been done already.
Status gather_locality(const dart_hwinfo_t& hardware, DartTeam& team);

}  // namespace polder::dart
