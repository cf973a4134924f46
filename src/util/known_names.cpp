// Names that somebody has misspelt.
#include "util/log.hpp"
#include "util/options.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <vector>

#include <unistd.h>

namespace polder::util {
namespace {

constexpr std::string_view kPrefix = "POLDER_";

// Levenshtein 1966, row by row.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t changed = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// Programs may have variables of their own under this prefix, so only what is nearly a known name is a slip.
void report(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(name, known);
  if (nearest.empty()) return;
  log(LogLevel::warning, "%.*s is not known and means nothing; did you mean %.*s? (polder info lists all options)",
      int(name.size()), name.data(), int(nearest.size()), nearest.data());
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  const std::size_t slips = std::min<std::size_t>(3, (name.size() - std::min(name.size(), kPrefix.size())) / 2);
  std::string_view nearest;
  std::size_t best = slips + 1;
  for (const std::string_view candidate : known)
    if (const std::size_t apart = distance(name, candidate); apart < best) best = apart, nearest = candidate;
  return nearest;
}

void report_unknown(std::span<const std::string_view> known) {
  static std::atomic<bool> reported{false};
  if (environ == nullptr || reported.exchange(true)) return;
  // The first line of all asks for POLDER_LOG, and says so where that makes no sense.
  log(LogLevel::debug, "%zu options are known", known.size());
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const std::string_view name = variable.substr(0, variable.find('='));
    if (!name.starts_with(kPrefix) || std::find(known.begin(), known.end(), name) != known.end()) continue;
    report(name, known);
  }
}

}  // namespace polder::util
