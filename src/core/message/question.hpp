// A question to a peer that outlives the call that asked it: a caller that runs out of time leaves it under way, and
// the next call takes the answer.
#pragma once

#include "device/completion.hpp"

#include <polder/status.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace polder::core {

class Progress;

// Shared between those who wait and the operation that brings the answer.
class Question final : public device::Completion {
 public:
  static constexpr std::size_t kLargestAnswer = 1024;

  static std::shared_ptr<Question> make(Progress& progress) {
    return std::shared_ptr<Question>(new Question(progress));
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

  void local() override {}
  void remote(const Status& status) override;

 private:
  explicit Question(Progress& progress) : progress_(progress) {}

  Progress& progress_;
  std::shared_ptr<Question> self_;  // while it is under way
  std::atomic<bool> answered_{false};
  Status status_;
  alignas(8) std::array<std::byte, kLargestAnswer> answer_;
};

}  // namespace polder::core
