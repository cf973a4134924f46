#include "tune/rows.hpp"
#include "util/assert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace polder::tune {
namespace {

// What is not so much faster than what the table takes is no reason to leave it.
constexpr double kWorthIt = 1.1;

// How many times longer the first algorithm took than the second, as a power of 2. Nothing: one of them was not measured.
std::optional<double> log_ratio(const Best& at, coll::Algorithm one, coll::Algorithm two) {
  const auto us = [&](coll::Algorithm algorithm) {
    const auto found = std::find_if(at.timings.begin(), at.timings.end(),
                                    [&](const Timing& each) { return each.algorithm == algorithm; });
    return found == at.timings.end() ? 0 : found->us;
  };
  const double first = us(one), second = us(two);
  if (first <= 0 || second <= 0) return std::nullopt;
  return std::log2(first / second);
}

// Which part of the way to the next size that was measured, by factors, the algorithm of this one is to serve.
double share_of(const Best& one, const Best& next) {
  constexpr double kHalf = 0.5;
  const auto here = log_ratio(one, one.algorithm, next.algorithm);
  const auto there = log_ratio(next, one.algorithm, next.algorithm);
  if (!here || !there || *here >= 0 || *there <= 0) return kHalf;
  return -*here / (*there - *here);
}

std::size_t up_to(const Best& one, const Best& next) {
  const double from = std::log2(double(one.bytes)), to = std::log2(double(next.bytes));
  const double end = std::round(from + share_of(one, next) * (to - from));
  return std::max(one.bytes, std::size_t(std::exp2(std::min(end, std::ceil(to) - 1))));
}

}  // namespace

bool is_affordable(const std::vector<Timing>& smaller, std::size_t factor, double seconds) {
  constexpr double kMostShares = 2;
  double us = 0;
  for (const Timing& each : smaller) us += each.us;
  return (1 + Measurement::kTurns) * double(factor) * us <= kMostShares * 1e6 * seconds;
}

Best best_of(std::size_t bytes, const std::vector<Timing>& timings) {
  POLDER_ASSERT(!timings.empty());
  const auto fastest = std::min_element(timings.begin(), timings.end(),
                                        [](const Timing& one, const Timing& two) { return one.us < two.us; });
  const auto chosen = std::find_if(timings.begin(), timings.end(), [](const Timing& each) { return each.chosen; });
  if (chosen == timings.end() || chosen->us <= kWorthIt * fastest->us)
    return {bytes, (chosen == timings.end() ? fastest : chosen)->algorithm, true, "", timings};
  return {bytes, fastest->algorithm, false,
          fmt::format("{:.2f} us, {} {:.2f}", fastest->us, to_string(chosen->algorithm), chosen->us), timings};
}

// Rows are looked through from the top, so between two that differ from the table's stands one that says what it takes
// anyway.
std::string rows_of(coll::Kind kind, Rank ranks, const std::vector<Best>& all) {
  std::size_t last = all.size();
  while (last > 0 && all[last - 1].chosen) --last;
  std::string text;
  for (std::size_t i = 0; i < last; ++i) {
    const bool goes_on = i + 1 < last && all[i + 1].algorithm == all[i].algorithm;
    if (goes_on && all[i].remark.empty()) continue;
    const bool open_end = i + 1 == all.size();
    const std::string most = open_end ? "any" : coll::print_size(up_to(all[i], all[i + 1]));
    std::string line = fmt::format("{} {} {} {}", to_string(kind), to_string(all[i].algorithm), most, ranks);
    if (!all[i].remark.empty())
      line = fmt::format("{:44}# {}: {}", line, coll::print_size(all[i].bytes), all[i].remark);
    text += line + "\n";
  }
  return text;
}

}  // namespace polder::tune
