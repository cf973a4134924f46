// What a member of a group that waits long says of it to those who look from outside.
#pragma once

#include "bootstrap/standing.hpp"
#include "core/group/group_ports.hpp"

#include <polder/types.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace polder::core {

// One call of a collective: the same at all members, and with other calls at none.
struct GroupCall {
  std::uint64_t tag = 0;  // of the group
  std::uint64_t kind = 0;
  std::uint64_t number = 0;
};

// "the world", "a group of 5".
std::string name_of_group(const GroupPorts& ports, std::span<const Rank> ranks);

// "in barrier of the world", and the members on this node that do not say that they wait in it as well. Those who have only
// just come do not say so yet.
void describe_meeting(const GroupPorts& ports, std::span<const Rank> ranks, std::string_view what,
                      const GroupCall& call, bootstrap::LongWait& wait);

}  // namespace polder::core
