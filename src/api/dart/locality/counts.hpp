// What a domain says of all below it: units, cores, nodes, and whether its children are alike.
#pragma once

#include "api/dart/locality/domain.hpp"

namespace polder::dart {

// Of a domain from its children, which are right. One without children keeps what it says.
void count_from_children(Domain& domain);
// Of a domain and all above it.
void count_upwards(Domain* domain);

}  // namespace polder::dart
