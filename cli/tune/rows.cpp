#include "tune/rows.hpp"
#include "util/assert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polder::tune {
namespace {

// What is not so much faster than what the table takes is no reason to leave it.
constexpr double kWorthIt = 1.1;

// Half-way to the next size that was measured, as such things go by factors.
std::size_t up_to(std::size_t bytes, std::size_t next) {
  return std::size_t(std::exp2(std::round(std::log2(std::sqrt(double(bytes) * double(next))))));
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
    return {bytes, (chosen == timings.end() ? fastest : chosen)->algorithm, true, ""};
  return {bytes, fastest->algorithm, false,
          fmt::format("{:.2f} us, {} {:.2f}", fastest->us, to_string(chosen->algorithm), chosen->us)};
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
    const std::string most = open_end ? "any" : coll::print_size(up_to(all[i].bytes, all[i + 1].bytes));
    std::string line = fmt::format("{} {} {} {}", to_string(kind), to_string(all[i].algorithm), most, ranks);
    if (!all[i].remark.empty())
      line = fmt::format("{:44}# {}: {}", line, coll::print_size(all[i].bytes), all[i].remark);
    text += line + "\n";
  }
  return text;
}

}  // namespace polder::tune
