// The interactions among this rank's own bodies, in slices that fit between two looks at the network.
#pragma once

#include "far_field.hpp"
#include "interaction.hpp"
#include "near_field.hpp"
#include "tree.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace fmm {

// How often each cell was a target, for the balance: what its bodies cost.
struct Effort {
  std::uint64_t translations = 0;
  std::uint64_t body_pairs = 0;
};

class LocalWork {
 public:
  // What the work is done on; `locals` are the expansions of the cells.
  struct Place {
    const Tree& tree;
    Bodies bodies;
    const double* multipoles;
    double* locals;
    std::size_t stride;
    Field field;
    std::span<Effort> efforts;
  };
  LocalWork(const Place& place, FarField& far, const Kernels& kernels, std::uint64_t few);

  // A millisecond or two of work; false: there is none left.
  bool advance();

  const NearField& near() const { return near_; }

 private:
  enum class Stage { walk, sum, done };

  void walk();
  void meet(Pair pair);

  Place place_;
  FarField& far_;
  const Kernels& kernels_;
  std::uint64_t few_;
  Stage stage_ = Stage::walk;
  std::vector<Pair> open_;
  NearField near_;
};

}  // namespace fmm
