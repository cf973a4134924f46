#include "bootstrap/pmix/node_ranks.hpp"

#include "bootstrap/local/job_page.hpp"
#include "util/log.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>

namespace polder::bootstrap::pmix {
namespace {

// Takes a number off the front of `text`.
std::optional<Rank> take_number(std::string_view& text) {
  Rank number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(std::size_t(stop - text.data()));
  return number;
}

bool take_letter(std::string_view& text, char letter) {
  if (text.empty() || text.front() != letter) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::vector<Rank> parse_ranks(std::string_view text) {
  std::vector<Rank> ranks;
  do {
    const auto first = take_number(text);
    const auto last = first && take_letter(text, '-') ? take_number(text) : first;
    if (!last || *last < *first || *last > local::kMaxRanks) return {};
    for (Rank rank = *first; rank <= *last; ++rank) ranks.push_back(rank);
  } while (take_letter(text, ','));
  if (!text.empty()) return {};
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

Result<Place> read_place(const Client& client) {
  const auto size = client.job_number(PMIX_JOB_SIZE);
  if (!size.ok()) return size.status();
  if (*size > local::kMaxRanks)
    return Status(Code::limit,
                  "a job has at most " + std::to_string(local::kMaxRanks) + " ranks, not " + std::to_string(*size));
  const auto peers = client.job_text(PMIX_LOCAL_PEERS);
  if (!peers.ok()) return peers.status();
  Place place{.job_size = *size, .ranks = parse_ranks(*peers)};
  const bool sound =
      std::binary_search(place.ranks.begin(), place.ranks.end(), client.rank()) && place.ranks.back() < place.job_size;
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
