// Bootstrap for ranks on several nodes: a job page on each, and something else between them.
#pragma once

#include "bootstrap/gathered/beyond.hpp"
#include "bootstrap/local/local_bootstrap.hpp"

#include <memory>
#include <vector>

namespace polder::bootstrap::gathered {

// Each node's page has a place for every rank of the job. That of a rank of another node holds only what this node
// knows of its health, so health() is the same load for all.
class SpreadBootstrap final : public Bootstrap {
 public:
  // `beside`: the ranks of this node, upwards, this one among them. `first_beside`: for each rank of the job the lowest
  // one on its node; empty if that is not known, at any rank.
  SpreadBootstrap(std::unique_ptr<local::LocalBootstrap> node, std::vector<Rank> beside, std::vector<Rank> first_beside,
                  std::unique_ptr<Beyond> beyond);

  const Job& job() const override { return job_; }
  bool same_node(Rank peer) const override;
  std::optional<Rank> first_beside(Rank peer) const override;
  Status publish(std::string_view key, std::span<const std::byte> value) override;
  Status publish_near(std::string_view key, std::span<const std::byte> value) override {
    return node_->publish(key, value);
  }
  Result<std::vector<std::byte>> lookup(Rank owner, std::string_view key, Timeout timeout) override;
  Status share_records() override { return beyond_->share(); }
  Health health(Rank rank) const override { return node_->health(rank); }
  bool may_return(Rank rank) const override { return node_->may_return(rank); }
  const std::atomic<std::uint32_t>& health_changes() const override { return node_->health_changes(); }
  void report_failure(Rank rank) override;
  Status kill(Rank rank) override;
  void finish() override;
  void abort(int code, std::string_view reason) override;
  Standing* standing(Rank rank) const override { return same_node(rank) ? node_->standing(rank) : nullptr; }

 private:
  std::unique_ptr<local::LocalBootstrap> node_;
  const std::vector<Rank> beside_, first_beside_;
  Job job_;
  std::unique_ptr<Beyond> beyond_;  // ends first
};

}  // namespace polder::bootstrap::gathered
