// A line on rank 0's terminal that says how far the job is. Silent everywhere else, so logs stay readable.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace apps {

class Progress {
 public:
  // `wanted` false, or standard error not being a terminal: every call returns at once.
  explicit Progress(bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Starts a phase of `total` steps of any unit.
  void begin(std::string phase, std::uint64_t total);
  // Draws at most ten times a second.
  void at(std::uint64_t done) {
    if (shown_) draw(done);
  }
  // Wipes the line, before something else is printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  void draw(std::uint64_t done);

  bool shown_;
  bool dirty_ = false;
  std::string phase_;
  std::uint64_t total_ = 0;
  Clock::time_point next_draw_{};
};

}  // namespace apps
