// What this rank has under way, counted in all the ways in which somebody may wait for it.
#pragma once

#include "core/progress/outstanding.hpp"
#include "util/sparse_table.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace polder::core {

class HandleState;
class Progress;
struct Outside;

// Transfers that somebody keeps back until several can travel as one; whoever waits wants them posted first.
class KeptBack {
 public:
  // timeout: not all was posted in time, be it for want of room or because another thread posts just now; the rest stays
  // kept back. closed, while it waited for that thread. Errors of the transfers are the handle's.
  virtual Status post(HandleState& handle, Timeout timeout) = 0;
  virtual Status post_all(const Rank* rank, Timeout timeout) = 0;  // what goes to that rank; null: to any
  // Posts all, now or as soon as it can be by whoever makes progress; is_met() says that it has been done.
  virtual std::uint64_t demand() = 0;
  virtual bool is_met(std::uint64_t demand) const = 0;

 protected:
  ~KeptBack() = default;
};

class Ledger {
 public:
  Ledger(Outside& outside, Progress& progress);
  ~Ledger();

  Outside& outside;
  Progress& progress;

  Outstanding operations;           // all that users posted
  Outstanding local_operations;     // those whose local memory is in use
  Outstanding internal_operations;  // of groups and mutexes: a fence does not wait for them
  // What a direct store of a flag would overtake: those of them that are messages, and handles that keep something back.
  std::atomic<std::int64_t> overtakable{0};
  Outstanding& of_segment(SegmentId id) {
    return segments_.find_or_insert(id, [] { return std::make_unique<Outstanding>(); });
  }

  // ---- what is kept back ----
  void set_kept_back(KeptBack& kept) { kept_ = &kept; }
  std::atomic<std::size_t> kept_back{0};  // handles that keep something back
  bool nothing_kept() const { return kept_back.load(std::memory_order_acquire) == 0; }
  // Posts what that handle, or all of them, keep back, for everybody or for one rank; errors as KeptBack's. A load where
  // that is nothing.
  Status post_kept(HandleState& handle, Timeout timeout) {
    return nothing_kept() ? Status() : kept_->post(handle, timeout);
  }
  Status post_all_kept(Timeout timeout) { return nothing_kept() ? Status() : kept_->post_all(nullptr, timeout); }
  Status post_kept_for(Rank rank, Timeout timeout) {
    return nothing_kept() ? Status() : kept_->post_all(&rank, timeout);
  }
  // Likewise without an end, see there.
  std::uint64_t demand_kept() { return nothing_kept() ? 0 : kept_->demand(); }
  bool has_met(std::uint64_t demand) const { return kept_->is_met(demand); }

 private:
  KeptBack* kept_ = nullptr;
  util::SparseTable<Outstanding> segments_;
};

}  // namespace polder::core
