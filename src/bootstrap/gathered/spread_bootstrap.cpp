#include "bootstrap/gathered/spread_bootstrap.hpp"

#include "util/assert.hpp"

#include <algorithm>
#include <string>

namespace polder::bootstrap::gathered {
namespace {

Rank nodes_before(Rank first, const std::vector<Rank>& first_beside) {
  Rank nodes = 0;
  for (Rank rank = 0; rank < std::min(first, Rank(first_beside.size())); ++rank)
    if (first_beside[rank] == rank) ++nodes;
  return nodes;
}

Job with_place(Job job, const std::vector<Rank>& beside, const std::vector<Rank>& first_beside) {
  job.local_size = Rank(beside.size());
  job.local_rank = Rank(std::lower_bound(beside.begin(), beside.end(), job.rank) - beside.begin());
  job.node = nodes_before(beside.front(), first_beside);
  return job;
}

}  // namespace

SpreadBootstrap::SpreadBootstrap(std::unique_ptr<local::LocalBootstrap> node, std::vector<Rank> beside,
                                 std::vector<Rank> first_beside, std::unique_ptr<Beyond> beyond)
    : node_(std::move(node)),
      beside_(std::move(beside)),
      first_beside_(std::move(first_beside)),
      job_(with_place(node_->job(), beside_, first_beside_)),
      beyond_(std::move(beyond)) {}

bool SpreadBootstrap::same_node(Rank peer) const {
  return std::binary_search(beside_.begin(), beside_.end(), peer);
}

std::optional<Rank> SpreadBootstrap::first_beside(Rank peer) const {
  if (first_beside_.empty()) return std::nullopt;
  POLDER_ASSERT(peer < first_beside_.size());
  return first_beside_[peer];
}

// First on this node, which also checks the arguments and that the key is new.
Status SpreadBootstrap::publish(std::string_view key, std::span<const std::byte> value) {
  if (Status status = node_->publish(key, value); !status.ok()) return status;
  return beyond_->publish(key, value);
}

Result<std::vector<std::byte>> SpreadBootstrap::lookup(Rank owner, std::string_view key, Timeout timeout) {
  if (owner >= job_.size || same_node(owner)) return node_->lookup(owner, key, timeout);
  auto value = beyond_->lookup(owner, key, timeout);
  const Health now = health(owner);
  if (value.ok() || now == Health::healthy || may_return(owner)) return value;
  return Status(Code::peer_failed,
                "lookup of '" + std::string(key) + "': rank " + std::to_string(owner) +
                    (now == Health::failed ? " failed" : " finished") + " and never published it",
                Died::peer);
}

void SpreadBootstrap::report_failure(Rank rank) {
  if (rank >= job_.size) return;
  node_->report_failure(rank);
  beyond_->report_failure(rank);
}

Status SpreadBootstrap::kill(Rank rank) {
  if (rank >= job_.size || same_node(rank)) return node_->kill(rank);
  if (health(rank) != Health::healthy)
    return {Code::peer_failed, "kill: rank " + std::to_string(rank) + " is gone already", Died::peer};
  return beyond_->kill(rank);
}

void SpreadBootstrap::finish() {
  node_->finish();
  beyond_->finish();
}

void SpreadBootstrap::abort(int code, std::string_view reason) {
  beyond_->abort(code, reason);
  node_->abort(code, reason);
}

}  // namespace polder::bootstrap::gathered
