// Members of a team tell each other where they run.
#pragma once

#include "api/dart/job/epoch.hpp"

#include <polder/status.hpp>

namespace polder::dart {

// Collective over the team, and nothing but a success where it has been done already.
Status gather_locality(const DartEpoch& epoch, DartTeam& team);

}  // namespace polder::dart
