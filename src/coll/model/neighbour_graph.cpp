#include "coll/model/neighbour_graph.hpp"

#include "coll/port/direct_slots.hpp"
#include "core/group/letter_room.hpp"
#include "util/random.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace polder::coll {
namespace {

// Numbers with an `x` between each two; nothing: they are none.
std::optional<std::vector<Rank>> read_extents(std::string_view text) {
  std::vector<Rank> extents;
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    Rank extent = 0;
    const auto [rest, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent == 0) return {};
    extents.push_back(extent);
    if (rest == end) return extents;
    if (*rest != 'x') return {};
    at = rest + 1;
  }
}

Status not_a_graph(std::string_view words, Rank members) {
  return {Code::invalid_argument, "'" + std::string(words) + "' is no graph of " + std::to_string(members) +
                                      " members; there are ring, grid:AxB, torus:AxB, stencil:AxB, random:DEGREE"};
}

}  // namespace

NeighbourGraph NeighbourGraph::ring(Rank members) {
  NeighbourGraph graph(members);
  graph.add_grid({members}, true, false);
  return graph;
}

Result<NeighbourGraph> NeighbourGraph::read(std::string_view words, Rank members, std::uint64_t seed) {
  if (words == "ring") return ring(members);
  const auto colon = words.find(':');
  const std::string_view name = words.substr(0, colon);
  const auto extents = colon == std::string_view::npos ? std::nullopt : read_extents(words.substr(colon + 1));
  if (!extents) return not_a_graph(words, members);
  NeighbourGraph graph(members);
  if (name == "random") {
    if (extents->size() != 1 || extents->front() >= members) return not_a_graph(words, members);
    util::Random random(seed);
    graph.is_symmetric_ = false;
    for (Rank from = 0; from < members; ++from)
      while (graph.destinations_[from].size() < extents->front())
        if (const auto to = Rank(random.next() % members); to != from) graph.add(from, to);
    return graph;
  }
  std::uint64_t product = 1;
  for (const Rank extent : *extents) product = std::min<std::uint64_t>(product * extent, ~Rank{0});
  const bool corners = name == "stencil", periodic = corners || name == "torus";
  if (product != members || (!periodic && name != "grid")) return not_a_graph(words, members);
  graph.add_grid(*extents, periodic, corners);
  return graph;
}

// Once, and not from a member to itself.
void NeighbourGraph::add(Rank from, Rank to) {
  std::vector<Rank>& all = destinations_[from];
  if (from == to || std::find(all.begin(), all.end(), to) != all.end()) return;
  all.push_back(to);
  sources_[to].push_back(from);
}

// A neighbour is a step of -1, 0 or 1 in each dimension; without corners in one only.
void NeighbourGraph::add_grid(const std::vector<Rank>& extents, bool periodic, bool corners) {
  std::size_t steps = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) steps *= 3;
  for (Rank from = 0; from < members(); ++from)
    for (std::size_t step = 0; step < steps; ++step) {
      std::size_t digits = step, stride = 1, to = 0, moved = 0;
      bool exists = true;
      for (std::size_t i = extents.size(); i-- > 0; digits /= 3, stride *= extents[i]) {
        const std::size_t extent = extents[i], place = from / stride % extent, by = digits % 3;  // 1: stays
        moved += by != 1;
        exists = exists && (periodic || (place + by >= 1 && place + by <= extent));
        to += (place + extent + by - 1) % extent * stride;
      }
      if (exists && (corners || moved == 1)) add(from, Rank(to));
    }
}

bool NeighbourGraph::has_slots() const {
  const Rank size = members();
  const Slots slots(size);
  std::vector<std::size_t> reads(size), writes(size);
  for (Rank from = 0; from < size; ++from)
    for (const Rank to : destinations_[from])
      if (!direct_slot(slots, size, (to + size - from) % size)) ++writes[from], ++reads[to];
  const auto fits = [](std::size_t edges) { return edges <= core::LetterRoom::kEdges; };
  return std::all_of(reads.begin(), reads.end(), fits) && std::all_of(writes.begin(), writes.end(), fits);
}

SlottedEdge NeighbourGraph::edge(Rank from, Rank to, Rank other, const Slots& slots) const {
  const Rank size = members();
  const Slot slot = direct_slot(slots, size, (to + size - from) % size).value_or(slots.count() + from);
  return {other, slot, slot};
}

std::vector<SlottedEdge> NeighbourGraph::edges_from(Rank member, const Slots& slots) const {
  std::vector<Rank> others = destinations_[member];
  const auto far = [&](Rank other) { return (other + members() - member) % members(); };
  std::sort(others.begin(), others.end(), [&](Rank one, Rank two) { return far(one) < far(two); });
  std::vector<SlottedEdge> edges;
  for (const Rank to : others) edges.push_back(edge(member, to, to, slots));
  return edges;
}

std::vector<SlottedEdge> NeighbourGraph::edges_to(Rank member, const Slots& slots) const {
  std::vector<Rank> others = sources_[member];
  const auto far = [&](Rank other) { return (member + members() - other) % members(); };
  std::sort(others.begin(), others.end(), [&](Rank one, Rank two) { return far(one) < far(two); });
  std::vector<SlottedEdge> edges;
  for (const Rank from : others) edges.push_back(edge(from, member, from, slots));
  return edges;
}

}  // namespace polder::coll
