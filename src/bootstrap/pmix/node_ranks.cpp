#include "bootstrap/pmix/node_ranks.hpp"

#include "bootstrap/local/job_page.hpp"
#include "bootstrap/pmix/rank_list.hpp"
#include "util/log.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace polder::bootstrap::pmix {

Result<NodeRanks> read_place(const Client& client) {
  const auto size = client.job_number(PMIX_JOB_SIZE);
  if (!size.ok()) return size.status();
  if (*size > local::kMaxRanks)
    return Status(Code::limit,
                  "a job has at most " + std::to_string(local::kMaxRanks) + " ranks, not " + std::to_string(*size));
  const auto peers = client.job_text(PMIX_LOCAL_PEERS);
  if (!peers.ok()) return peers.status();
  NodeRanks place{.job_size = *size, .ranks = parse_ranks(*peers, *size)};
  const bool sound = std::binary_search(place.ranks.begin(), place.ranks.end(), client.rank());
  if (sound) return place;
  return Status(Code::system, "the launcher's list of the ranks of this node, '" + *peers + "', does not fit rank " +
                                  std::to_string(client.rank()) + " of " + std::to_string(*size));
}

// By the names of hosts, which the launcher holds for each rank on each node: PMIX_NODEID is missing in Open MPI 4.1
// and Slurm 22.05.
std::vector<Rank> read_nodes(const Client& client, Rank job_size) {
  std::map<std::string, Rank> first_of;
  std::vector<Rank> nodes;
  for (Rank rank = 0; rank < job_size; ++rank) {
    const auto node = client.rank_text(rank, PMIX_HOSTNAME);
    if (!node.ok()) {
      util::log(util::LogLevel::info, "rank %u: where ranks are is not known (%s): groups do without nodes",
                client.rank(), node.status().to_string().c_str());
      return {};
    }
    nodes.push_back(first_of.emplace(*node, rank).first->second);
  }
  return nodes;
}

}  // namespace polder::bootstrap::pmix
