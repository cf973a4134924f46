#include "bootstrap/standing.hpp"

#include "util/assert.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace polder::bootstrap {

void LongWait::say(std::string_view text) {
  what = {};
  std::memcpy(what.data(), text.data(), std::min(text.size(), what.size()));
}

void LongWait::wait_for(Rank rank) {
  if (missing < kNamed) whom[missing] = rank;
  ++missing;
}

std::string LongWait::text() const {
  return {what.data(), std::size_t(std::find(what.begin(), what.end(), '\0') - what.begin())};
}

bool Standing::take() {
  return taken_.load(std::memory_order_relaxed) == 0 && taken_.exchange(1, std::memory_order_acquire) == 0;
}

void Standing::give_back(const LongWait& last) {
  POLDER_ASSERT(taken_.load(std::memory_order_relaxed) == 1);
  write(last);
  taken_.store(0, std::memory_order_release);
}

void Standing::show(const LongWait& wait) {
  POLDER_ASSERT(taken_.load(std::memory_order_relaxed) == 1);
  write(wait);
}

void Standing::write(const LongWait& wait) {
  const auto words = std::bit_cast<std::array<std::uint64_t, kWords>>(wait);
  const std::uint32_t before = version_.load(std::memory_order_relaxed);
  version_.store(before + 1, std::memory_order_relaxed);
  // Each word is published together with the odd version: who reads one of them reads that version at least.
  for (std::size_t i = 0; i < kWords; ++i) words_[i].store(words[i], std::memory_order_release);
  version_.store(before + 2, std::memory_order_release);
}

std::optional<LongWait> Standing::read(std::int64_t now_ns) const {
  constexpr std::int64_t kPause = 100'000'000;  // ns; who has not come back by then is doing something else
  constexpr int kAttempts = 1000;               // a writer needs less than a microsecond, unless it dies
  std::array<std::uint64_t, kWords> words;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::uint32_t before = version_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < kWords; ++i) words[i] = words_[i].load(std::memory_order_acquire);
    if (before % 2 != 0 || version_.load(std::memory_order_relaxed) != before) continue;
    const auto wait = std::bit_cast<LongWait>(words);
    // Its times are another process's, and may be anything.
    const bool is_over = wait.since_ns <= 0 || (wait.paused_ns != 0 && wait.paused_ns < now_ns - kPause);
    return is_over ? std::nullopt : std::optional(wait);
  }
  return std::nullopt;
}

void Standing::count_sleep(std::int64_t nanoseconds) {
  add(sleeps_, 1);
  add(asleep_ns_, std::uint64_t(std::max<std::int64_t>(nanoseconds, 0)));
}

void Standing::count_posted(std::uint64_t bytes) {
  add(posted_, 1);
  add(posted_bytes_, bytes);
}

Standing::Counts Standing::counts() const {
  const auto value = [](const Counter& counter) { return counter.load(std::memory_order_relaxed); };
  return {value(sleeps_), value(asleep_ns_), value(collectives_), value(posted_), value(posted_bytes_)};
}

}  // namespace polder::bootstrap
