#include "topology/picture.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace polder::cli {
namespace {

constexpr Rank kMostSquares = 100'000;
constexpr Rank kSquare = 12, kGap = 12;  // pixels

using Branch = std::vector<std::uint32_t>;

Branch branch_of(const Topology& topology, Rank unit, std::size_t levels) {
  const auto at = topology.at(unit);
  return {at.begin(), at.begin() + std::ptrdiff_t(levels)};
}

struct Planes {
  Rank width = 1, height = 1, across = 1;  // of a plane in squares; planes in a row

  explicit Planes(const CommunicationPattern& pattern) {
    const auto& extents = pattern.extents;
    if (extents.empty()) {
      while (width * width < pattern.places()) ++width;
      height = (pattern.places() + width - 1) / width;
      return;
    }
    width = extents.back();
    if (extents.size() > 1) height = extents[extents.size() - 2];
    while (across * across < pattern.places() / (width * height)) ++across;
  }
  Rank x(Rank place) const {
    return place / (width * height) % across * (width * kSquare + kGap) + place % width * kSquare;
  }
  Rank y(Rank place) const {
    return place / (width * height) / across * (height * kSquare + kGap) + place / width % height * kSquare;
  }
};

}  // namespace

std::size_t branches_in_use(const Topology& topology, std::size_t level) {
  std::set<Branch> branches;
  for (Rank unit = 0; unit < topology.units(); ++unit) branches.insert(branch_of(topology, unit, level + 1));
  return branches.size();
}

Status write_picture(const CommunicationPattern& pattern, const Topology& topology, std::span<const Rank> order,
                     const std::string& path) {
  if (pattern.places() > kMostSquares)
    return {Code::invalid_argument, fmt::format("a picture has at most {} places", kMostSquares)};
  const Planes planes(pattern);
  const std::size_t network = std::max<std::size_t>(topology.spec().network_levels, 1);
  std::map<Branch, std::size_t> nodes;
  std::string squares;
  Rank right = 0, bottom = 0;
  for (Rank place = 0; place < pattern.places(); ++place) {
    const Branch node = branch_of(topology, order[place], network);
    nodes.emplace(node, nodes.size());
    // Golden-angle hues by the outermost branch; lightness by node, so that neighbours differ.
    const unsigned hue = unsigned(node.front() * 137) % 360, light = 45 + unsigned(nodes[node] * 7) % 40;
    const Rank x = planes.x(place), y = planes.y(place);
    squares += fmt::format(
        "<rect x='{}' y='{}' width='{}' height='{}' fill='hsl({},60%,{}%)'><title>place {}: unit {}</title></rect>\n",
        x, y, kSquare - 1, kSquare - 1, hue, light, place, order[place]);
    right = std::max(right, x + kSquare), bottom = std::max(bottom, y + kSquare);
  }
  std::ofstream file(path);
  file << fmt::format("<svg xmlns='http://www.w3.org/2000/svg' width='{}' height='{}'>\n{}</svg>\n", right, bottom,
                      squares);
  file.close();
  if (!file) return {Code::system, "cannot write " + path};
  return {};
}

}  // namespace polder::cli
