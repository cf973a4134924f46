// What PMIx answers later, in a thread of its own, to a question that this thread may stop waiting for.
#pragma once

#include "util/deadline.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace polder::bootstrap::pmix {

template <class T>
class Answer {
 public:
  void give(T value) {
    std::lock_guard lock(mutex_);
    value_ = std::move(value);
    given_.notify_all();
  }

  // Nothing: it did not come in time.
  std::optional<T> wait(const util::Deadline& deadline) {
    std::unique_lock lock(mutex_);
    while (!value_ && !deadline.passed()) given_.wait_for(lock, std::chrono::nanoseconds(deadline.left(kSliceNs)));
    return value_;
  }

 private:
  static constexpr std::int64_t kSliceNs = 1'000'000'000;

  std::mutex mutex_;
  std::condition_variable given_;
  std::optional<T> value_;
};

// Both who asks and who answers keep it alive: the pointer that travels through PMIx is a share of it, which the
// callback takes back. An answer that never comes costs that share.
template <class T>
using SharedAnswer = std::shared_ptr<Answer<T>>;

template <class T>
void* share_of(const SharedAnswer<T>& answer) {
  return new SharedAnswer<T>(answer);
}
template <class T>
SharedAnswer<T> take_share(void* share) {
  const std::unique_ptr<SharedAnswer<T>> mine(static_cast<SharedAnswer<T>*>(share));
  return *mine;
}

}  // namespace polder::bootstrap::pmix
