// Changes of trees. What a domain says of all below it follows.
#pragma once

#include "api/dart/locality/domain.hpp"

#include <polder/status.hpp>

#include <span>
#include <string>
#include <string_view>

namespace polder::dart {

using DomainTags = std::span<const std::string_view>;

// Keeps what lies on the way to one of the tags, or below it; what remains keeps its tag.
void select_domains(Domain& tree, DomainTags tags);
// Takes away what has one of the tags, and all below.
void exclude_domains(Domain& tree, DomainTags tags);

// Puts a tree under a domain, at this place or, -1, behind the last; it is the domain's from then on. Tags of the children follow their
// places. invalid_argument: no such place.
Status add_domain(Domain& domain, DomainTree& tree, int place);
// invalid_argument: the root, or a place below the domain itself.
Status move_domain(Domain& domain, Domain& new_parent, int place);

// Puts the domains of these tags under a new one of scope GROUP, the last child of the lowest domain that has them all below it. Its
// tag. Those that stay keep theirs. invalid_argument: one of them is the root, or lies below another. invalid_segment: one is not there.
Result<std::string> group_domains(Domain& tree, DomainTags tags);

}  // namespace polder::dart
