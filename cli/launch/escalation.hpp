// How a job is ended: first time to end by itself, then SIGTERM, then SIGKILL.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace polder::cli {

// Times are nanoseconds of the monotonic clock. Each step is taken once, and never a milder one after a harder one.
class Escalation {
 public:
  explicit Escalation(std::chrono::nanoseconds grace) : grace_(grace.count()) {}

  // A rank has failed: the others see it and have the grace time to end.
  void after_failure(std::int64_t now) {
    if (stage_ == Stage::none) enter(Stage::waiting, now + grace_);
  }
  // SIGTERM now.
  void end(std::int64_t now) {
    if (stage_ < Stage::terminated) enter(Stage::waiting, now);
  }
  // SIGKILL now.
  void kill(std::int64_t now) {
    if (stage_ < Stage::killed) enter(Stage::terminated, now);
  }

  // The signal whose time has come, SIGTERM or SIGKILL.
  std::optional<int> due(std::int64_t now);

  // When to ask due() again; INT64_MAX: nothing is to come.
  std::int64_t next() const { return next_; }

  // True once ranks were signalled, so that their end says nothing about themselves.
  bool has_signalled() const { return signalled_; }

 private:
  enum class Stage { none, waiting, terminated, killed };

  void enter(Stage stage, std::int64_t next) {
    stage_ = stage;
    next_ = next;
  }

  std::int64_t grace_;
  std::int64_t next_ = INT64_MAX;
  Stage stage_ = Stage::none;
  bool signalled_ = false;
};

}  // namespace polder::cli
