// Who exchanges with whom in an exchange of neighbours that the model runs.
#pragma once

#include "coll/port/slotted_edge.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace polder::coll {

class NeighbourGraph {
 public:
  // The one before and the one behind.
  static NeighbourGraph ring(Rank members);
  // In words: "ring"; "grid:8x8", its sides ends; "torus:8x8x8", periodic; "stencil:8x8x8", a torus with all neighbours, those
  // across corners too, 26 in three dimensions; "random:6", edges to so many others drawn from `seed`.
  // invalid_argument: none of these, or not of as many members.
  static Result<NeighbourGraph> read(std::string_view words, Rank members, std::uint64_t seed);

  Rank members() const { return Rank(destinations_.size()); }
  const std::vector<Rank>& destinations(Rank member) const { return destinations_[member]; }
  bool is_symmetric() const { return is_symmetric_; }
  // Whether programs find slots for all edges, in a group that has none of these yet.
  bool has_slots() const;
  // Nearest first. In the model a slot that is no distance has the number of its writer.
  std::vector<SlottedEdge> edges_from(Rank member, const Slots& slots) const;
  std::vector<SlottedEdge> edges_to(Rank member, const Slots& slots) const;

 private:
  explicit NeighbourGraph(Rank members) : destinations_(members), sources_(members) {}
  void add(Rank from, Rank to);
  void add_grid(const std::vector<Rank>& extents, bool periodic, bool corners);
  SlottedEdge edge(Rank from, Rank to, Rank other, const Slots& slots) const;

  std::vector<std::vector<Rank>> destinations_, sources_;
  bool is_symmetric_ = true;
};

}  // namespace polder::coll
