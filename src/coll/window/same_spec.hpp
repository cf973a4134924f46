// Whether all members of a group have made an object of the same kind: before anything else of it is common.
#pragma once

#include <polder/group.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstdint>
#include <span>

namespace polder::coll {

struct SpecField {
  const char* name;
  std::uint64_t value;
};

// Collective. `here`: what is wrong with this member's spec, of which the others hear; `what`: how errors call the
// object. Errors: `here`, that of a member whose spec is wrong, or invalid_argument: a field differs from a member's;
// the text names both.
Status agree_on_spec(Group& group, std::span<const SpecField> fields, const Status& here, const char* what,
                     Timeout timeout);

}  // namespace polder::coll
