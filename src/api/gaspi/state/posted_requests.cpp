#include "api/gaspi/state/posted_requests.hpp"

#include <algorithm>

namespace polder::gaspi {

PostedRequests::PostedRequests(unsigned limit)
    : portion_(std::max<std::int64_t>(1, limit / (2 * kStripes))), pool_(limit), given_(limit) {}

unsigned PostedRequests::own_stripe() {
  static std::atomic<unsigned> threads{0};
  // Not found through a function call, as a thread_local of a shared library otherwise is.
  [[gnu::tls_model("initial-exec")]] constinit static thread_local unsigned stripe = ~0u;
  if (stripe == ~0u) [[unlikely]]
    stripe = threads.fetch_add(1, std::memory_order_relaxed) % kStripes;
  return stripe;
}

bool PostedRequests::add_from_others(Stripe& own, std::int64_t requests) {
  const std::lock_guard lock(mutex_);
  own.room.fetch_add(requests, std::memory_order_relaxed);
  uncomplete(lock);
  if (pool_ < requests) pool_ += collect(lock);
  if (pool_ < requests) return false;
  const std::int64_t share = std::max(requests, std::min(pool_, portion_));
  pool_ -= share;
  own.room.fetch_add(share - requests, std::memory_order_relaxed);
  return true;
}

void PostedRequests::take_back(unsigned requests) {
  const std::lock_guard lock(mutex_);
  stripes_[own_stripe()].room.fetch_add(requests, std::memory_order_relaxed);
  taken_back_ += requests;
  uncomplete(lock);
}

// A wait that ended meanwhile has counted requests that were never there: neither were they completed.
void PostedRequests::uncomplete(const std::lock_guard<std::mutex>& held) {
  const std::uint64_t there = total(held);
  if (completed_ <= there) return;
  const std::uint64_t excess = completed_ - there;
  completed_ = there;
  given_ -= excess;
  pool_ -= std::int64_t(excess);
}

// So that the queue is full when it is full, and not when one thread's portion is used up.
std::int64_t PostedRequests::collect(const std::lock_guard<std::mutex>&) {
  std::int64_t found = 0;
  for (Stripe& stripe : stripes_) {
    std::int64_t room = stripe.room.load(std::memory_order_relaxed);
    while (room > 0 && !stripe.room.compare_exchange_weak(room, 0, std::memory_order_relaxed)) {
    }
    if (room > 0) found += room;
  }
  return found;
}

std::int64_t PostedRequests::handed() const {
  std::int64_t sum = 0;
  for (const Stripe& stripe : stripes_) sum += std::max<std::int64_t>(0, stripe.room.load(std::memory_order_relaxed));
  return sum;
}

std::uint64_t PostedRequests::total() const {
  const std::lock_guard lock(mutex_);
  return total(lock) + taken_back_;
}

std::uint64_t PostedRequests::total(const std::lock_guard<std::mutex>&) const {
  return given_ - std::uint64_t(pool_ + handed());
}

void PostedRequests::completed(std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  total = std::min(total - std::min(total, taken_back_), this->total(lock));
  if (total <= completed_) return;  // another thread's wait has covered them
  const std::uint64_t fresh = total - completed_;
  completed_ = total;
  given_ += fresh;
  pool_ += std::int64_t(fresh);
}

unsigned PostedRequests::count() const {
  const std::lock_guard lock(mutex_);
  return unsigned(std::max(total(lock), completed_) - completed_);
}

}  // namespace polder::gaspi
