// How many requests a queue holds (GASPI 17.1, section 8.5.3): posted, and not covered by a successful gaspi_wait.
//
// The standard counts a request until it was waited for, even where it was over when the call returned. Many threads
// post on one queue, so they do not share a counter: the room of the queue is handed out in portions to stripes, and a
// thread takes from its own.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace polder::gaspi {

// Thread safe.
class PostedRequests {
 public:
  explicit PostedRequests(unsigned limit);

  // Takes room for so many requests, all or none. False: that would be more than `limit`. An atomic addition to a line
  // of this thread.
  bool add(unsigned requests = 1) {
    Stripe& stripe = stripes_[own_stripe()];
    if (stripe.room.fetch_sub(requests, std::memory_order_relaxed) >= requests) [[likely]]
      return true;
    return add_from_others(stripe, requests);
  }
  // The requests were not posted after all.
  void take_back(unsigned requests = 1);

  // Requests since the queue was made, those that were taken back among them. What was posted before the call of wait() is what it
  // completes: total() before, and completed() with that number after it. What is taken back between the two is not completed.
  std::uint64_t total() const;
  void completed(std::uint64_t total);

  // Requests there are.
  unsigned count() const;

 private:
  static constexpr unsigned kStripes = 8;

  struct alignas(64) Stripe {
    std::atomic<std::int64_t> room{0};  // below 0 for a moment, while a thread finds that there is none
  };

  static unsigned own_stripe();
  bool add_from_others(Stripe& own, std::int64_t requests);
  std::int64_t collect(const std::lock_guard<std::mutex>& held);
  std::int64_t handed() const;                                         // room that stripes hold
  std::uint64_t total(const std::lock_guard<std::mutex>& held) const;  // without those that were taken back
  void uncomplete(const std::lock_guard<std::mutex>& held);

  std::array<Stripe, kStripes> stripes_;
  const std::int64_t portion_;
  mutable std::mutex mutex_;  // of what follows
  std::int64_t pool_;         // room that no stripe has; below 0 where they have more than there is
  std::uint64_t given_;       // room that there ever was: `limit`, and what was completed since
  std::uint64_t completed_ = 0;
  std::uint64_t taken_back_ = 0;
};

}  // namespace polder::gaspi
