// Where a node is in the network, as the environment says.
#pragma once

#include "util/options.hpp"

#include <polder/status.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace polder::topology {

std::span<const util::Option> options();

inline constexpr std::size_t kMostNetworkLevels = 8;

// The branches that a node is in, outermost first, as numbers that are the same where the names up to there are. A fixed size,
// to be gathered.
struct NetworkPlace {
  std::uint32_t depth = 0;
  std::array<std::uint64_t, kMostNetworkLevels> branch{};
};

// `place`: "spine1.leaf3", as in POLDER_PLACE; if it is empty, `slurm`: "spine1.leaf3.node17", as in SLURM_TOPOLOGY_ADDR, of which
// the last is the node. invalid_argument: more than eight levels, or a name of no letters.
Result<NetworkPlace> read_network_place(const std::string& place, const std::string& slurm);

// Of this process, from the environment.
Result<NetworkPlace> network_place();

}  // namespace polder::topology
