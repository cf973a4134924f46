// Who keeps back what aggregate handles post, and posts it.
#pragma once

#include "core/post/aggregate.hpp"
#include "core/post/ledger.hpp"
#include "core/post/queues.hpp"
#include "core/post/transfer.hpp"
#include "core/progress/duty.hpp"
#include "util/deadline.hpp"
#include "util/mutex.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace polder::core {

class HandleState;

// All of a runtime. What the network has no room for stays kept back.
class Aggregates final : public KeptBack, public Duty {
 public:
  Aggregates(Ledger& ledger, const Queues& queues, Ordering ordering);
  ~Aggregates();

  // How a transfer is posted. Once, before anything is kept back.
  using PostIt = std::function<Status(const Transfer&)>;
  void set_posting(PostIt post_it) { post_it_ = std::move(post_it); }

  // Keeps the transfer back if its handle and its size allow; false: post it now. queue_full: what the handle keeps
  // back goes first, and found no room in time. REQUIRES: it has been checked.
  Result<bool> keep(const Transfer& transfer);

  Status post(HandleState& handle, Timeout timeout) override;
  Status post_all(const Rank* rank, Timeout timeout) override;

  std::uint64_t demand() override;
  bool is_met(std::uint64_t demand) const override { return met_.load(std::memory_order_acquire) >= demand; }
  // Posts what is demanded, if nobody else posts just now.
  int attend() override;

 private:
  using Lock = std::unique_lock<util::RecursiveMutex>;
  class Turn;

  Status post_with_turn(HandleState& handle, const util::Deadline& deadline);
  Status post_all_with_turn(const Rank* rank, const util::Deadline& deadline);
  Status post_now(HandleState& handle, Timeout timeout);
  void append(HandleState& handle, const Transfer& transfer);
  void forget(HandleState& handle);
  HandleState& first_before(HandleState& handle) const;
  bool is_ordered(Ordering ordering) const;
  bool may_join(HandleState& handle, const Transfer& transfer) const;
  static bool shares_bytes(const Aggregate& aggregate, const Transfer& transfer);
  bool fits(const Aggregate& aggregate, const Transfer& transfer) const;

  Ledger& ledger_;
  const Queues& queues_;
  const Ordering ordering_;
  PostIt post_it_;
  util::RecursiveMutex mutex_;         // posting may run a handler that posts
  std::vector<HandleState*> holding_;  // in the order in which they began
  std::atomic<std::uint64_t> demanded_{0}, met_{0};
};

}  // namespace polder::core
