#include "trace/read/clock_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polder::trace {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kLargestDrift = 1e-3;  // quartz is good to 1e-4
constexpr int kHalvings = 100;

}  // namespace

ClockFit::ClockFit(std::int64_t first_ns, std::int64_t last_ns)
    : first_(double(first_ns)), length_(std::max(1.0, double(last_ns) - double(first_ns))) {}

void ClockFit::keep(Bounds& bounds, std::int64_t time_ns, std::int64_t offset_ns, bool largest) {
  const auto part = std::int64_t(std::clamp((double(time_ns) - first_) / length_, -1.0, 2.0) * 256);
  const Bound bound{double(time_ns), double(offset_ns)};
  const auto [at, fresh] = bounds.try_emplace(part, bound);
  if (!fresh && (largest ? bound.offset > at->second.offset : bound.offset < at->second.offset)) at->second = bound;
}

std::pair<double, double> ClockFit::gap(double drift) const {
  const double middle = first_ + length_ / 2;
  double low = -kInfinite, high = kInfinite;
  for (const auto& [part, bound] : lower_) low = std::max(low, bound.offset - drift * (bound.time - middle));
  for (const auto& [part, bound] : upper_) high = std::min(high, bound.offset - drift * (bound.time - middle));
  return {low, high};
}

ClockLine ClockFit::line(double guess_ns) const {
  ClockLine line{.at_ns = first_ + length_ / 2, .offset_ns = guess_ns, .drift = 0, .error_ns = kInfinite};
  if (lower_.empty() || upper_.empty()) {
    const auto [low, high] = gap(0);
    line.offset_ns = std::clamp(guess_ns, low, high);
    return line;
  }
  // The width of the gap is concave in the drift: golden section would be faster, thirds are plainer.
  const auto width = [&](double drift) {
    const auto [low, high] = gap(drift);
    return high - low;
  };
  // Where one moment is all that is known, every drift fits: the one nearest to none is taken.
  double from = -kLargestDrift, to = kLargestDrift;
  for (int i = 0; i < kHalvings; ++i) {
    const double one = from + (to - from) / 3, two = to - (to - from) / 3;
    if (width(one) < width(two))
      from = one;
    else
      to = two;
  }
  double drift = (from + to) / 2;
  if (width(0) >= width(drift)) drift = 0;
  const auto [low, high] = gap(drift);
  line.drift = drift;
  line.offset_ns = (low + high) / 2;
  line.error_ns = (high - low) / 2;
  return line;
}

}  // namespace polder::trace
