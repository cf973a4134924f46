// Halves of a communication pattern of given sizes, with as little between them as can be found quickly.
#pragma once

#include <polder/topology.hpp>

namespace polder::topology {

class PatternSplit {
 public:
  // `pattern` must outlive it.
  explicit PatternSplit(const CommunicationPattern& pattern);

  // Reorders `places` so that the first `first` are one half. O(E) of those places, times dimensions of a grid.
  void split(std::span<Rank> places, std::size_t first);

 private:
  double mark(std::span<const Rank> places, std::size_t first);
  void cut_grid(std::span<Rank> places, std::size_t first);
  void walk_graph(std::span<Rank> places);
  void visit_from(Rank start, std::vector<Rank>& visited);
  bool exchange(std::span<Rank> places, std::size_t first);
  double gain(Rank place) const;
  bool inside(Rank place) const { return side_[place] / 2 == round_; }

  const CommunicationPattern& pattern_;
  std::vector<std::uint32_t> side_;  // 2 x round + half: places of other rounds are outside
  std::vector<std::uint32_t> visit_;
  std::uint32_t round_ = 0, visits_ = 0;
};

}  // namespace polder::topology
