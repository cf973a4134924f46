// The bootstrap of a rank that shares its simulated node with some ranks of the job and not with others.
#pragma once

#include "bootstrap/bootstrap.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace polder::core {

// Forwards all but the question who is near.
class SimulatedNode final : public bootstrap::Bootstrap {
 public:
  // REQUIRES: ranks_per_node > 0.
  SimulatedNode(std::unique_ptr<Bootstrap> inner, Rank ranks_per_node)
      : inner_(std::move(inner)), ranks_per_node_(ranks_per_node), job_(inner_->job()) {
    const Rank first = job_.rank / ranks_per_node * ranks_per_node;
    job_.local_rank = job_.rank - first;
    job_.local_size = std::min(ranks_per_node, job_.size - first);
    job_.host += "-" + std::to_string(job_.rank / ranks_per_node);
  }

  const bootstrap::Job& job() const override { return job_; }
  bool same_node(Rank peer) const override { return peer / ranks_per_node_ == job_.rank / ranks_per_node_; }
  std::optional<Rank> first_beside(Rank peer) const override { return peer / ranks_per_node_ * ranks_per_node_; }

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

 private:
  const std::unique_ptr<Bootstrap> inner_;
  const Rank ranks_per_node_;
  bootstrap::Job job_;
};

}  // namespace polder::core
