// Which particles this rank has, in which order, and the tree over them.
#pragma once

#include "domain.hpp"
#include "exchange.hpp"
#include "particle.hpp"
#include "radix_sort.hpp"
#include "tree.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace fmm {

class Decomposition {
 public:
  explicit Decomposition(const Team& team);

  // Collective. Shares the particles out, so that each rank has the same weight of them (`weights`, one for each, in
  // the same unit everywhere). `particles` may be what particles() returned before.
  Status distribute(std::span<const Particle> particles, std::span<const double> weights);

  // Sorts what this rank has got and builds its tree, with its bodies in a segment. An error if two bodies are at the
  // same place, or if too many are too close together for the deepest level. Not collective, but comes after
  // distribute().
  Status build(std::size_t leaf_size);

  const Domain& domain() const { return domain_; }
  std::span<Particle> particles() const { return particles_; }
  // Body i of the tree is particle order()[i].index.
  std::span<const KeyedIndex> order() const { return order_; }
  const Tree& tree() const { return tree_; }
  Bodies bodies() const;
  const Window& body_window() const { return body_window_; }
  std::size_t body_stride() const { return body_stride_; }

 private:
  Status find_domain(std::span<const Particle> particles);
  void sort(std::span<const Particle> particles);
  Status place_bodies();
  Status check_places() const;
  Status check_depth(std::size_t leaf_size) const;

  const Team& team_;
  Exchange exchange_;
  Window body_window_;
  std::size_t body_stride_ = 0;
  Domain domain_;
  std::span<Particle> particles_;
  std::vector<Particle> own_;  // where there is only one rank
  std::vector<KeyedIndex> order_;
  Tree tree_;
};

}  // namespace fmm
