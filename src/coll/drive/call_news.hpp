// What a member learns of the others while a collective is under way: why it will never end, and who has not come.
#pragma once

#include "bootstrap/standing.hpp"
#include "coll/drive/driven_call.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace polder::coll {

class CallNews {
 public:
  explicit CallNews(const DrivenCall& call) : call_(call) {}

  // The call is another one from now on.
  void begin() { left_since_ns_.store(0, std::memory_order_relaxed); }
  // Not ok: it will never end, and why. A thread that drives the lane hears less.
  Status trouble();
  // What a wait says that has come to its deadline: who has not entered, as far as that can be read.
  Status timed_out() const;
  // Where all have come, or their memory cannot be read, it is the one whose letter is missing.
  void describe(bootstrap::LongWait& wait) const;

 private:
  Status gone() const;
  Status news_of(Rank member) const;
  Status news_beside() const;
  Status news_of_node();
  // Whether a member says that it is in another call of this number.
  bool differs(const std::optional<CallRecord>& there) const;
  bool is_grace_over() const;
  std::vector<Rank> late_members() const;

  const DrivenCall& call_;
  mutable std::atomic<std::int64_t> left_since_ns_{0};  // when a member was first found to have left, or given up
};

}  // namespace polder::coll
