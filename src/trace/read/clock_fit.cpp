#include "trace/read/clock_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polder::trace {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kLargestDrift = 1e-3;  // quartz is good to 1e-4
constexpr int kHalvings = 100;

// Where a concave function is highest. (Golden section would be faster, thirds are plainer.)
template <class Function>
double highest(double from, double to, const Function& function) {
  for (int i = 0; i < kHalvings; ++i) {
    const double one = from + (to - from) / 3, two = to - (to - from) / 3;
    if (function(one) < function(two))
      from = one;
    else
      to = two;
  }
  return (from + to) / 2;
}

// The last argument from `inside` to `outside` that holds, where all behind it do not.
template <class Condition>
double last_that_holds(double inside, double outside, const Condition& holds) {
  if (holds(outside)) return outside;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (inside + outside) / 2;
    (holds(middle) ? inside : outside) = middle;
  }
  return inside;
}

}  // namespace

ClockFit::ClockFit(std::int64_t first_ns, std::int64_t last_ns)
    : first_(double(first_ns)), length_(std::max(1.0, double(last_ns) - double(first_ns))) {}

void ClockFit::keep(Bounds& bounds, std::int64_t time_ns, std::int64_t offset_ns, bool largest) {
  const auto part = std::int64_t(std::clamp((double(time_ns) - first_) / length_, -1.0, 2.0) * 256);
  const Bound bound{double(time_ns), double(offset_ns)};
  const auto [at, fresh] = bounds.try_emplace(part, bound);
  if (!fresh && (largest ? bound.offset > at->second.offset : bound.offset < at->second.offset)) at->second = bound;
}

std::pair<double, double> ClockFit::gap(double drift, double at) const {
  double low = -kInfinite, high = kInfinite;
  for (const auto& [part, bound] : lower_) low = std::max(low, bound.offset - drift * (bound.time - at));
  for (const auto& [part, bound] : upper_) high = std::min(high, bound.offset - drift * (bound.time - at));
  return {low, high};
}

// Concave in the drift, and the same at all times.
double ClockFit::width(double drift) const {
  const auto [low, high] = gap(drift, first_ + length_ / 2);
  return high - low;
}

// Lines part from each other towards the ends.
double ClockFit::farthest_from(const ClockLine& line) const {
  const auto fits = [&](double drift) { return width(drift) >= 0; };
  const double least = last_that_holds(line.drift, -kLargestDrift, fits);
  const double most = last_that_holds(line.drift, kLargestDrift, fits);
  double farthest = 0;
  for (const double end : {first_, first_ + length_}) {
    const double above = highest(least, most, [&](double drift) { return gap(drift, end).second; });
    const double below = highest(least, most, [&](double drift) { return -gap(drift, end).first; });
    const double here = line.offset_ns + line.drift * (end - line.at_ns);
    farthest = std::max({farthest, gap(above, end).second - here, here - gap(below, end).first});
  }
  return farthest;
}

ClockLine ClockFit::line(double guess_ns) const {
  ClockLine line{.at_ns = first_ + length_ / 2, .offset_ns = guess_ns, .drift = 0, .error_ns = kInfinite};
  if (lower_.empty() || upper_.empty()) {
    const auto [low, high] = gap(0, line.at_ns);
    line.offset_ns = std::clamp(guess_ns, low, high);
    return line;
  }
  double drift = highest(-kLargestDrift, kLargestDrift, [&](double each) { return width(each); });
  // Where one moment is all that is known, every drift fits: the one nearest to none is taken.
  if (width(0) >= width(drift)) drift = 0;
  const auto [low, high] = gap(drift, line.at_ns);
  line.drift = drift;
  line.offset_ns = (low + high) / 2;
  line.error_ns = low <= high ? farthest_from(line) : (high - low) / 2;
  return line;
}

}  // namespace polder::trace
