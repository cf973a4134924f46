// The bootstrap of a rank that shares its simulated node with some ranks of the job and not with others.
#pragma once

#include "bootstrap/bootstrap.hpp"
#include "util/assert.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace polder::core {

// Which ranks share a node. REQUIRES: per_node > 0.
struct SimulatedNodes {
  Rank ranks = 0;
  Rank per_node = 1;
  bool scattered = false;  // dealt to the nodes in turn, as cards are

  Rank count() const {
    POLDER_ASSERT(per_node > 0);
    return (ranks + per_node - 1) / per_node;
  }
  Rank node_of(Rank rank) const { return scattered ? rank % count() : rank / per_node; }
  Rank first_of(Rank node) const { return scattered ? node : node * per_node; }
  Rank place_of(Rank rank) const { return scattered ? rank / count() : rank % per_node; }
  Rank size_of(Rank node) const {
    return scattered ? (ranks - node + count() - 1) / count() : std::min(per_node, ranks - first_of(node));
  }
};

// Forwards all but the question who is near.
class SimulatedNode final : public bootstrap::Bootstrap {
 public:
  SimulatedNode(std::unique_ptr<Bootstrap> inner, SimulatedNodes nodes)
      : inner_(std::move(inner)), nodes_(nodes), job_(inner_->job()) {
    const Rank node = nodes.node_of(job_.rank);
    job_.local_rank = nodes.place_of(job_.rank);
    job_.local_size = nodes.size_of(node);
    job_.host += "-" + std::to_string(node);
  }

  const bootstrap::Job& job() const override { return job_; }
  bool same_node(Rank peer) const override { return nodes_.node_of(peer) == nodes_.node_of(job_.rank); }
  std::optional<Rank> first_beside(Rank peer) const override {
    POLDER_ASSERT(peer < nodes_.ranks);
    return nodes_.first_of(nodes_.node_of(peer));
  }

  Status publish(std::string_view key, std::span<const std::byte> value) override {
    return inner_->publish(key, value);
  }
  Result<std::vector<std::byte>> lookup(Rank owner, std::string_view key, Timeout timeout) override {
    return inner_->lookup(owner, key, timeout);
  }
  Status share_records() override { return inner_->share_records(); }
  Health health(Rank rank) const override { return inner_->health(rank); }
  bool may_return(Rank rank) const override { return inner_->may_return(rank); }
  const std::atomic<std::uint32_t>& health_changes() const override { return inner_->health_changes(); }
  void report_failure(Rank rank) override { inner_->report_failure(rank); }
  // Across nodes as launchers do: not.
  Status kill(Rank rank) override {
    if (rank >= job_.size || same_node(rank)) return inner_->kill(rank);
    if (health(rank) != Health::healthy) return {Code::peer_failed, "kill: the rank is gone already", Died::peer};
    return {Code::unsupported, "kill: rank " + std::to_string(rank) + " is on another node"};
  }
  void finish() override { inner_->finish(); }
  void abort(int code, std::string_view reason) override { inner_->abort(code, reason); }
  bootstrap::Standing* standing(Rank rank) const override {
    return rank < job_.size && same_node(rank) ? inner_->standing(rank) : nullptr;
  }

 private:
  const std::unique_ptr<Bootstrap> inner_;
  const SimulatedNodes nodes_;
  bootstrap::Job job_;
};

}  // namespace polder::core
