// The tree of a team: all units, nodes, their modules, and the levels of hardware down to the cores that units run on.
#pragma once

#include "api/dart/locality/domain.hpp"

#include <span>

namespace polder::dart {

// Of units by team-relative id, each with what it found of its hardware, and their global ids. Equal everywhere for the same arguments.
// Completes the units: the tag of each one's core, and the cores that it has for itself.
DomainTree build_tree(dart_team_t team, std::span<dart_unit_locality_t> units, std::span<const dart_global_unit_t> ids);

}  // namespace polder::dart
