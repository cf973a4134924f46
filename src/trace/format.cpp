#include "trace/format.hpp"

#include "util/clock.hpp"

#include <algorithm>

#include <time.h>

namespace polder::trace {

namespace {

std::int64_t realtime_ns() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

ClockPair read_clocks() {
  // A thread that loses its core between two readings would pair times that are milliseconds apart: the tightest of a
  // few tries is taken.
  ClockPair best;
  std::int64_t width = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t before = util::now_ns();
    const std::int64_t real = realtime_ns();
    const std::int64_t after = util::now_ns();
    if (after - before >= width) continue;
    width = after - before;
    best = {before + width / 2, real};
  }
  return best;
}

std::string file_path(std::string_view directory, Rank rank) {
  std::string number = std::to_string(rank);
  number.insert(0, std::max<std::size_t>(number.size(), 6) - number.size(), '0');
  return std::string(directory) + "/rank-" + number + std::string(kFileSuffix);
}

}  // namespace polder::trace
