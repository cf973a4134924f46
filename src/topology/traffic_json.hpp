// What the ranks of a traced job sent to each other, as `polder trace stats --json` prints it.
#pragma once

#include <polder/topology.hpp>

#include <string_view>

namespace polder::topology {

// An object with "ranks", a number, and "traffic", a list of [from, to, bytes, messages, ...]; messages and what follows may be
// absent. Whatever else it has is passed over. invalid_argument: what is wrong, and at which byte.
Result<CommunicationPattern> traffic_json_pattern(std::string_view json);

}  // namespace polder::topology
