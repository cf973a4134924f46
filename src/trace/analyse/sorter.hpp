// Sorts more than memory should hold: runs that are sorted in memory go to a temporary file and are merged when read.
//
//   Sorter<Moment> sorter;             // Moment: trivially copyable, with operator<
//   for (...) sorter.push(moment);
//   sorter.for_each([](const Moment& m) { ... });   // in order; what is equal, in the order in which it was pushed
#pragma once

#include "trace/analyse/scratch_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <type_traits>
#include <vector>

namespace polder::trace {

template <class T>
class Sorter {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t kRunBytes = 48 << 20;

  explicit Sorter(std::size_t run = kRunBytes / sizeof(T)) : limit_(std::max<std::size_t>(run, 2)) {}

  // Throws std::runtime_error where the temporary file cannot be written.
  void push(const T& value) {
    run_.push_back(value);
    if (run_.size() >= limit_) spill();
  }

  std::uint64_t size() const { return spilled_ + run_.size(); }

  // Once; the sorter is empty afterwards.
  template <class Visit>
  void for_each(Visit&& visit) {
    sort_run();
    if (runs_.empty())
      for (const T& value : run_) visit(value);
    else
      merge(visit);
    run_ = {};
    runs_.clear();
    file_ = {};
    spilled_ = 0;
  }

 private:
  struct Run {
    std::uint64_t next = 0;  // in the file, counted in values
    std::uint64_t end = 0;
    std::vector<T> piece;
    std::size_t at = 0;
  };

  void sort_run() { std::stable_sort(run_.begin(), run_.end()); }

  void spill() {
    sort_run();
    file_.append(run_.data(), run_.size() * sizeof(T));
    runs_.push_back({spilled_, spilled_ + run_.size(), {}, 0});
    spilled_ += run_.size();
    run_.clear();
  }

  bool refill(Run& run) {
    if (run.at < run.piece.size()) return true;
    const std::size_t piece = std::max<std::size_t>(limit_ / (runs_.size() + 1), 64);
    run.piece.resize(std::min<std::uint64_t>(piece, run.end - run.next));
    run.at = 0;
    if (run.piece.empty()) return false;
    file_.read(run.next * sizeof(T), run.piece.data(), run.piece.size() * sizeof(T));
    run.next += run.piece.size();
    return true;
  }

  template <class Visit>
  void merge(Visit&& visit) {
    if (!run_.empty()) spill();
    run_ = {};
    const auto later = [this](std::size_t a, std::size_t b) {
      const T &x = front(a), &y = front(b);
      return y < x || (!(x < y) && a > b);
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> order(later);
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (refill(runs_[i])) order.push(i);
    while (!order.empty()) {
      const std::size_t first = order.top();
      order.pop();
      visit(front(first));
      ++runs_[first].at;
      if (refill(runs_[first])) order.push(first);
    }
  }

  const T& front(std::size_t run) const { return runs_[run].piece[runs_[run].at]; }

  const std::size_t limit_;
  std::vector<T> run_;
  std::vector<Run> runs_;
  ScratchFile file_;
  std::uint64_t spilled_ = 0;
};

}  // namespace polder::trace
