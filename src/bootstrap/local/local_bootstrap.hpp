// Bootstrap for ranks of one machine, over the job page.
#pragma once

#include "bootstrap/bootstrap.hpp"
#include "bootstrap/local/job_control.hpp"
#include "bootstrap/local/job_page.hpp"
#include "util/waiting.hpp"

#include <memory>

namespace polder::bootstrap::local {

// Thread safe as a whole. A rank that was declared failed (killed in a test, or reported by a peer that cannot reach
// it) gets Code::closed from publish and lookup: its peers have gone on without it.
class LocalBootstrap final : public Bootstrap {
 public:
  // REQUIRES: rank < page->size(), and the rank's slot is attached.
  LocalBootstrap(std::shared_ptr<JobPage> page, Rank rank, std::unique_ptr<JobControl> control, util::Clock clock = {});
  ~LocalBootstrap() override;

  const Job& job() const override { return job_; }
  bool same_node(Rank peer) const override { return peer < job_.size; }
  std::optional<Rank> first_beside(Rank) const override { return 0; }
  Status publish(std::string_view key, std::span<const std::byte> value) override;
  Result<std::vector<std::byte>> lookup(Rank owner, std::string_view key, Timeout timeout) override;
  Health health(Rank rank) const override;
  bool may_return(Rank rank) const override;
  const std::atomic<std::uint32_t>& health_changes() const override { return page_->header().health_changes; }
  void report_failure(Rank rank) override;
  Status kill(Rank rank) override;
  void finish() override;
  void abort(int code, std::string_view reason) override;
  Standing* standing(Rank rank) const override { return rank < job_.size ? &page_->standing(rank) : nullptr; }

 private:
  Status check_alive(const char* operation) const;
  Status check_rank(Rank rank, const char* operation) const;

  std::shared_ptr<JobPage> page_;
  Job job_;
  std::unique_ptr<JobControl> control_;
  util::Patience patience_;
  bool finished_ = false;
};

}  // namespace polder::bootstrap::local
