#include "launch/core_order.hpp"

#include <polder/topology.hpp>

#include <algorithm>
#include <charconv>
#include <map>

namespace polder::cli {
namespace {

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

// The first `ranks` units, so that neighbours of the grid are near each other.
Status lay_grid(std::vector<CoreUnit>& units, const std::vector<std::uint32_t>& extents, Rank ranks) {
  const auto pattern = grid_pattern({.extents = extents});
  if (!pattern.ok()) return pattern.status();
  if (pattern->places() != ranks)
    return wrong_order("grid: its extents make " + std::to_string(pattern->places()) + " places for " +
                       std::to_string(ranks) + " ranks");
  if (units.size() < ranks)
    return wrong_order("grid: " + std::to_string(ranks) + " ranks on " + std::to_string(units.size()) +
                       " hardware threads");
  units.resize(ranks);
  TopologySpec spec{
      {{"socket", 8, 1}, {"numa", 4, 1}, {"cache", 2, 1}, {"core", 1, 1}, {"thread", 0.5, 1}}, 0, {}, {}, {}};
  for (const CoreUnit& unit : units)
    spec.coordinates.insert(spec.coordinates.end(), {unit.socket, unit.numa, unit.cache, unit.core, unit.thread});
  const auto topology = Topology::create(std::move(spec));
  if (!topology.ok()) return topology.status();
  const auto order = map(*pattern, *topology);
  if (!order.ok()) return order.status();
  std::vector<CoreUnit> laid;
  for (const Rank unit : *order) laid.push_back(units[unit]);
  units = std::move(laid);
  return {};
}

}  // namespace

Result<RankOrder> read_rank_order(const std::string& word) {
  if (word == "core") return RankOrder{MapBy::core, {}};
  if (word == "socket") return RankOrder{MapBy::socket, {}};
  if (word == "node") return RankOrder{MapBy::node, {}};
  RankOrder order{MapBy::grid, {}};
  if (!word.starts_with("grid:")) return wrong_order(word + ": core, socket, node or grid:AxB");
  for (std::size_t at = 5; at <= word.size();) {
    const std::size_t end = std::min(word.find('x', at), word.size());
    std::uint32_t extent = 0;
    const auto [stop, error] = std::from_chars(word.data() + at, word.data() + end, extent);
    if (error != std::errc() || stop != word.data() + end || extent == 0)
      return wrong_order(word + ": extents as in grid:4x2");
    order.extents.push_back(extent);
    at = end + 1;
  }
  return order;
}

Result<std::vector<unsigned>> order_cores(std::vector<CoreUnit> units, const RankOrder& order, Rank ranks) {
  std::stable_sort(units.begin(), units.end(),
                   [](const CoreUnit& a, const CoreUnit& b) { return a.thread < b.thread; });
  if (order.by == MapBy::socket) take_turns(units, &CoreUnit::socket);
  if (order.by == MapBy::node) take_turns(units, &CoreUnit::numa);
  if (order.by == MapBy::grid)
    if (Status status = lay_grid(units, order.extents, ranks); !status.ok()) return status;
  std::vector<unsigned> numbers;
  for (const CoreUnit& unit : units) numbers.push_back(unit.number);
  return numbers;
}

}  // namespace polder::cli
