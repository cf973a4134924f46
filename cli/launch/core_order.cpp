#include "launch/core_order.hpp"

#include "matrix_file.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string_view>

namespace polder::cli {
namespace {

constexpr std::string_view kGrid = "grid:", kMatrix = "matrix:";

Status wrong_order(const std::string& what) {
  return {Code::invalid_argument, "--map-by " + what};
}

// Takes one of each part in turn.
void take_turns(std::vector<CoreUnit>& units, unsigned CoreUnit::*part) {
  std::map<std::pair<unsigned, unsigned>, unsigned> met;  // by thread of a core and part
  std::vector<std::pair<unsigned, CoreUnit>> turns;
  for (const CoreUnit& unit : units) turns.emplace_back(met[{unit.thread, unit.*part}]++, unit);
  std::stable_sort(turns.begin(), turns.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.thread, a.first) < std::pair(b.second.thread, b.first);
  });
  std::transform(turns.begin(), turns.end(), units.begin(), [](const auto& turn) { return turn.second; });
}

// So many units as the pattern has places, so that those who talk much are near each other.
Status lay_pattern(std::vector<CoreUnit>& units, const CommunicationPattern& pattern) {
  if (units.size() < pattern.places())
    return wrong_order("grid or matrix: " + std::to_string(pattern.places()) + " ranks on " +
                       std::to_string(units.size()) + " hardware threads");
  units.resize(pattern.places());
  TopologySpec spec{
      {{"socket", 8, 1}, {"numa", 4, 1}, {"cache", 2, 1}, {"core", 1, 1}, {"thread", 0.5, 1}}, 0, {}, {}, {}};
  for (const CoreUnit& unit : units)
    spec.coordinates.insert(spec.coordinates.end(), {unit.socket, unit.numa, unit.cache, unit.core, unit.thread});
  const auto topology = Topology::create(std::move(spec));
  if (!topology.ok()) return topology.status();
  const auto order = map(pattern, *topology);
  if (!order.ok()) return order.status();
  std::vector<CoreUnit> laid;
  for (const Rank unit : *order) laid.push_back(units[unit]);
  units = std::move(laid);
  return {};
}

Status check_places(const std::string& word, std::uint64_t places, Rank ranks) {
  if (places == ranks) return {};
  return wrong_order(word + ": " + std::to_string(places) + " places for " + std::to_string(ranks) + " ranks");
}

Result<CommunicationPattern> read_grid(const std::string& word, Rank ranks) {
  GridSpec grid;
  std::uint64_t places = 1;
  for (std::size_t at = kGrid.size(); at <= word.size();) {
    const std::size_t end = std::min(word.find('x', at), word.size());
    std::uint32_t extent = 0;
    const auto [stop, error] = std::from_chars(word.data() + at, word.data() + end, extent);
    if (error != std::errc() || stop != word.data() + end || extent == 0)
      return wrong_order(word + ": extents as in grid:4x2");
    if ((places *= extent) > std::numeric_limits<Rank>::max()) return wrong_order(word + ": too many places");
    grid.extents.push_back(extent);
    at = end + 1;
  }
  if (Status status = check_places(word, places, ranks); !status.ok()) return status;
  return grid_pattern(grid);
}

Result<CommunicationPattern> read_matrix(const std::string& word, Rank ranks) {
  auto pattern = read_matrix_file(word.substr(kMatrix.size()));
  if (!pattern.ok()) return wrong_order("matrix: " + std::string(pattern.status().message()));
  if (Status status = check_places(word, pattern->places(), ranks); !status.ok()) return status;
  return pattern;
}

}  // namespace

Result<RankOrder> read_rank_order(const std::string& word, Rank ranks) {
  if (word == "core") return RankOrder{MapBy::core, {}};
  if (word == "socket") return RankOrder{MapBy::socket, {}};
  if (word == "node") return RankOrder{MapBy::node, {}};
  if (!word.starts_with(kGrid) && !word.starts_with(kMatrix))
    return wrong_order(word + ": core, socket, node, grid:AxB or matrix:FILE");
  auto pattern = word.starts_with(kGrid) ? read_grid(word, ranks) : read_matrix(word, ranks);
  if (!pattern.ok()) return pattern.status();
  return RankOrder{MapBy::pattern, *std::move(pattern)};
}

Result<std::vector<unsigned>> order_cores(std::vector<CoreUnit> units, const RankOrder& order) {
  std::stable_sort(units.begin(), units.end(),
                   [](const CoreUnit& a, const CoreUnit& b) { return a.thread < b.thread; });
  if (order.by == MapBy::socket) take_turns(units, &CoreUnit::socket);
  if (order.by == MapBy::node) take_turns(units, &CoreUnit::numa);
  if (order.by == MapBy::pattern)
    if (Status status = lay_pattern(units, *order.pattern); !status.ok()) return status;
  std::vector<unsigned> numbers;
  for (const CoreUnit& unit : units) numbers.push_back(unit.number);
  return numbers;
}

}  // namespace polder::cli
