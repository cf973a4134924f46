#include <polder/topology.hpp>

#include "topology/traffic_json.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace polder {
namespace {

constexpr double kBytesOfMessage = 64;

Status wrong_pattern(const std::string& what) {
  return {Code::invalid_argument, "communication pattern: " + what};
}

// Of a weight: sums of any number of them are finite, too.
bool is_amount(double number) {
  return number >= 0 && number < 1e200;
}

void add_neighbour(CommunicationPattern& pattern, Rank place, double weight) {
  pattern.neighbour.push_back(place);
  pattern.weight.push_back(weight);
}

// Neighbours of `place` in one dimension. Two of a ring of two are one neighbour, twice as busy.
void add_line(CommunicationPattern& pattern, const GridSpec& grid, Rank place, Rank stride, std::uint32_t extent) {
  const std::uint32_t at = place / stride % extent;
  const Rank first = place - at * stride;
  if (extent == 1) return;
  if (at > 0) add_neighbour(pattern, place - stride, grid.periodic && extent == 2 ? 2 * grid.bytes : grid.bytes);
  if (at + 1 < extent)
    add_neighbour(pattern, place + stride, grid.periodic && extent == 2 ? 2 * grid.bytes : grid.bytes);
  if (!grid.periodic || extent == 2) return;
  if (at == 0) add_neighbour(pattern, first + (extent - 1) * stride, grid.bytes);
  if (at + 1 == extent) add_neighbour(pattern, first, grid.bytes);
}

Status read_row(std::string_view line, std::size_t row, std::vector<double>& values) {
  for (std::size_t column = 0;; ++column) {
    const std::string_view word = line.substr(0, line.find(','));
    double value = 0;
    const char* begin = word.data();
    const char* const last = word.data() + word.size();
    while (begin != last && *begin == ' ') ++begin;
    const auto [end, error] = std::from_chars(begin, last, value);
    if (error != std::errc() || end != last || !is_amount(value))
      return wrong_pattern("row " + std::to_string(row) + ", column " + std::to_string(column) + ": '" +
                           std::string(word) + "' is no number of bytes");
    values.push_back(value);
    if (word.size() == line.size()) return {};
    line.remove_prefix(word.size() + 1);
  }
}

Result<CommunicationPattern> csv_pattern(std::string_view csv) {
  std::vector<double> values;
  std::size_t rows = 0, columns = 0;
  while (!csv.empty()) {
    std::string_view line = csv.substr(0, csv.find('\n'));
    csv.remove_prefix(std::min(csv.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::size_t before = values.size();
    if (Status status = read_row(line, rows, values); !status.ok()) return status;
    if (rows == 0) columns = values.size();
    if (values.size() - before != columns)
      return wrong_pattern("row " + std::to_string(rows) + " has " + std::to_string(values.size() - before) +
                           " columns, not " + std::to_string(columns));
    ++rows;
  }
  if (rows == 0 || rows != columns)
    return wrong_pattern("a matrix of " + std::to_string(rows) + " rows and " + std::to_string(columns) + " columns");
  std::vector<PlaceTraffic> traffic;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] > 0) traffic.push_back({Rank(i / rows), Rank(i % rows), values[i]});
  return traffic_pattern(Rank(rows), traffic);
}

}  // namespace

Result<CommunicationPattern> grid_pattern(const GridSpec& grid) {
  if (grid.extents.empty() || grid.extents.size() > 6) return wrong_pattern("a grid has one to six dimensions");
  if (!is_amount(grid.bytes)) return wrong_pattern("neighbours send at least 0 bytes, and less than 1e200");
  std::uint64_t places = 1;
  for (const std::uint32_t extent : grid.extents) {
    if (extent == 0) return wrong_pattern("an extent of 0");
    if (places * extent > std::uint64_t{1} << 31) return wrong_pattern("a grid of more than 2^31 places");
    places *= extent;
  }
  CommunicationPattern pattern{{0}, {}, {}, grid.extents};
  for (Rank place = 0; place < places; ++place) {
    Rank stride = 1;
    for (std::size_t d = grid.extents.size(); d-- > 0; stride *= grid.extents[d])
      add_line(pattern, grid, place, stride, grid.extents[d]);
    pattern.begin.push_back(pattern.neighbour.size());
  }
  return pattern;
}

Result<CommunicationPattern> matrix_pattern(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' ? topology::traffic_json_pattern(text)
                                                               : csv_pattern(text);
}

Result<CommunicationPattern> traffic_pattern(Rank places, std::span<const PlaceTraffic> traffic) {
  if (places == 0) return wrong_pattern("it has no place");
  std::vector<PlaceTraffic> both;
  for (const PlaceTraffic& one : traffic) {
    if (one.from >= places || one.to >= places || !is_amount(one.bytes) || !is_amount(one.messages))
      return wrong_pattern(std::to_string(one.bytes) + " bytes from " + std::to_string(one.from) + " to " +
                           std::to_string(one.to) + ", of " + std::to_string(places) + " places");
    const double weight = one.bytes + kBytesOfMessage * one.messages;
    if (one.from == one.to || weight == 0) continue;
    both.push_back({one.from, one.to, weight});
    both.push_back({one.to, one.from, weight});
  }
  std::sort(both.begin(), both.end(), [](const PlaceTraffic& one, const PlaceTraffic& other) {
    return std::pair(one.from, one.to) < std::pair(other.from, other.to);
  });
  CommunicationPattern pattern{{0}, {}, {}, {}};
  for (std::size_t i = 0, place = 0; place < places; ++place) {
    for (; i < both.size() && both[i].from == place; ++i) {
      const bool again = pattern.neighbour.size() > pattern.begin.back() && pattern.neighbour.back() == both[i].to;
      if (again)
        pattern.weight.back() += both[i].bytes;
      else
        add_neighbour(pattern, both[i].to, both[i].bytes);
    }
    pattern.begin.push_back(pattern.neighbour.size());
  }
  return pattern;
}

}  // namespace polder
