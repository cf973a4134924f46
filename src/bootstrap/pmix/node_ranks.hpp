// Who is on this node, as the launcher says.
#pragma once

#include "bootstrap/pmix/client.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <vector>

namespace polder::bootstrap::pmix {

struct NodeRanks {
  Rank job_size = 1;
  std::vector<Rank> ranks;  // of this node, upwards
};

Result<NodeRanks> read_place(const Client& client);

// For each rank of the job the lowest one on its node; empty if the launcher does not say where ranks are.
std::vector<Rank> read_nodes(const Client& client, Rank job_size);

}  // namespace polder::bootstrap::pmix
