// Bodies acting on bodies: for each target cell the ranges of bodies that are summed directly.
#pragma once

#include "cell.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace fmm {

class NearField {
 public:
  // The bodies of `source` act on those of cell number `target`.
  void add(std::uint32_t target, Range source) { pairs_.push_back({target, source}); }

  // Sorts the pairs by target, merges ranges that touch. REQUIRES: no add() afterwards. `cells` is how many there are.
  void prepare(std::size_t cells);

  // Sums for the next targets, about `most` pairs of bodies; false when all is done.
  bool advance(const Kernels& kernels, std::span<const Cell> cells, const Bodies& targets, const Bodies& sources,
               const Field& field, std::uint64_t most);

  std::uint64_t body_pairs() const { return body_pairs_; }  // summed so far
  double seconds() const { return seconds_; }

 private:
  struct Entry {
    std::uint32_t target;
    Range source;
  };

  std::vector<Entry> pairs_;
  std::vector<Range> ranges_;         // by target
  std::vector<std::uint32_t> first_;  // of a target's ranges; one more at the end
  std::size_t next_ = 0;              // target
  std::uint64_t body_pairs_ = 0;
  double seconds_ = 0;
};

}  // namespace fmm
