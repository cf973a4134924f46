// A question to a peer that outlives the call that asked it: a caller that runs out of time leaves it under way, and
// the next call takes the answer.
#pragma once

#include "device/completion_sink.hpp"

#include <polder/status.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace polder::core {

class Progress;

// Shared between those who wait and the operation that brings the answer.
class Question final : public device::CompletionSink {
 public:
  static constexpr std::size_t kLargestAnswer = 1024;

  // `largest`: bytes of an answer.
  static std::shared_ptr<Question> make(Progress& progress, std::size_t largest = kLargestAnswer) {
    return std::shared_ptr<Question>(new Question(progress, largest));
  }

  // `post(completion)` hands the question to whoever completes it. Its error means that nothing was asked.
  template <class Post>
  Status ask(std::shared_ptr<Question> self, Post&& post) {
    self_ = std::move(self);
    Status status = post(*this);
    if (!status.ok()) self_.reset();
    return status;
  }

  bool answered() const { return answered_.load(std::memory_order_acquire); }

  // Valid once answered.
  const Status& status() const { return status_; }
  std::byte* answer() { return answer_.data(); }
  std::size_t size() const { return answer_.size(); }

  void local() override {}
  void remote(const Status& status) override;

 private:
  Question(Progress& progress, std::size_t largest) : progress_(progress), answer_(largest) {}

  Progress& progress_;
  std::shared_ptr<Question> self_;  // while it is under way
  std::atomic<bool> answered_{false};
  Status status_;
  std::vector<std::byte> answer_;  // aligned as the heap is
};

}  // namespace polder::core
