// Where the units of a team run.
#pragma once

#include "api/dart/locality/domain.hpp"

#include <vector>

namespace polder::dart {

struct TeamLocality {
  std::vector<dart_unit_locality_t> units;  // by team-relative id
  DomainTree tree;
};

}  // namespace polder::dart
