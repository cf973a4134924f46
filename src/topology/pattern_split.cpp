#include "topology/pattern_split.hpp"

#include <algorithm>

namespace polder::topology {
namespace {

constexpr int kExchangePasses = 6;

}  // namespace

PatternSplit::PatternSplit(const CommunicationPattern& pattern)
    : pattern_(pattern), side_(pattern.places(), 0), visit_(pattern.places(), 0) {}

void PatternSplit::split(std::span<Rank> places, std::size_t first) {
  pattern_.extents.empty() ? walk_graph(places) : cut_grid(places, first);
  mark(places, first);
  for (int pass = 0; pass < kExchangePasses; ++pass)
    if (!exchange(places, first)) return;
}

// Begins a round in which each of `places` knows its half; returns the weight between the halves.
double PatternSplit::mark(std::span<const Rank> places, std::size_t first) {
  ++round_;
  for (std::size_t i = 0; i < places.size(); ++i) side_[places[i]] = 2 * round_ + std::uint32_t(i >= first);
  double weight = 0;
  for (const Rank place : places.first(first))
    for (std::size_t e = pattern_.begin[place]; e < pattern_.begin[place + 1]; ++e)
      if (side_[pattern_.neighbour[e]] == 2 * round_ + 1) weight += pattern_.weight[e];
  return weight;
}

// The dimension in which a cut through a slice parts least; the slice that it goes through is cut in row-major order.
void PatternSplit::cut_grid(std::span<Rank> places, std::size_t first) {
  std::vector<Rank> best, tried(places.begin(), places.end());
  double least = 0;
  std::uint64_t stride = 1;
  for (std::size_t d = pattern_.extents.size(); d-- > 0; stride *= pattern_.extents[d]) {
    const std::uint64_t extent = pattern_.extents[d], all = pattern_.places();
    const auto key = [&](Rank place) { return place / stride % extent * all + place; };
    std::nth_element(tried.begin(), tried.begin() + std::ptrdiff_t(first), tried.end(),
                     [&](Rank a, Rank b) { return key(a) < key(b); });
    if (const double weight = mark(tried, first); best.empty() || weight < least) best = tried, least = weight;
  }
  std::copy(best.begin(), best.end(), places.begin());
}

// In the order of a walk in breadth from a place far out, each part that hangs together after the other.
void PatternSplit::walk_graph(std::span<Rank> places) {
  mark(places, places.size());
  std::vector<Rank> order, part;
  ++visits_;
  for (const Rank place : places) {
    if (visit_[place] >= visits_) continue;
    part.clear();
    visit_from(place, part);
    const Rank far = part.back();
    for (const Rank seen : part) visit_[seen] = 0;
    part.clear();
    visit_from(far, part);
    order.insert(order.end(), part.begin(), part.end());
  }
  std::copy(order.begin(), order.end(), places.begin());
}

void PatternSplit::visit_from(Rank start, std::vector<Rank>& visited) {
  visit_[start] = visits_;
  visited.push_back(start);
  for (std::size_t next = 0; next < visited.size(); ++next) {
    const Rank place = visited[next];
    for (std::size_t e = pattern_.begin[place]; e < pattern_.begin[place + 1]; ++e) {
      const Rank other = pattern_.neighbour[e];
      if (!inside(other) || visit_[other] == visits_) continue;
      visit_[other] = visits_;
      visited.push_back(other);
    }
  }
}

// What goes between the halves less, if `place` changes sides.
double PatternSplit::gain(Rank place) const {
  double sum = 0;
  for (std::size_t e = pattern_.begin[place]; e < pattern_.begin[place + 1]; ++e) {
    const Rank other = pattern_.neighbour[e];
    if (inside(other)) sum += side_[other] == side_[place] ? -pattern_.weight[e] : pattern_.weight[e];
  }
  return sum;
}

// Those of each half who gain most change sides in pairs, as long as that pays. False: nothing changed.
bool PatternSplit::exchange(std::span<Rank> places, std::size_t first) {
  struct Candidate {
    double gain;
    std::size_t index;
  };
  std::vector<Candidate> halves[2];
  for (std::size_t i = 0; i < places.size(); ++i) halves[i >= first].push_back({gain(places[i]), i});
  for (auto& half : halves)
    std::stable_sort(half.begin(), half.end(), [](const auto& a, const auto& b) { return a.gain > b.gain; });
  bool changed = false;
  for (std::size_t i = 0; i < std::min(halves[0].size(), halves[1].size()); ++i) {
    const Candidate &one = halves[0][i], &two = halves[1][i];
    if (one.gain + two.gain <= 0) break;
    Rank &here = places[one.index], &there = places[two.index];
    const double before = gain(here);
    side_[here] ^= 1;
    const double after = before + gain(there);  // `there` sees that `here` is gone over to it already
    if (after > 1e-9 * (one.gain + two.gain)) {
      side_[there] ^= 1;
      std::swap(here, there);
      changed = true;
    } else {
      side_[here] ^= 1;
    }
  }
  return changed;
}

}  // namespace polder::topology
