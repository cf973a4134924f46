#include "expansions.hpp"

namespace fmm {
namespace {

Vector offset_of(unsigned octant) {
  const auto side = [](unsigned bit) { return bit == 0 ? -0.25 : 0.25; };
  return {side(octant & 4), side(octant & 2), side(octant & 1)};
}

}  // namespace

Expansions::Expansions(const Kernels& kernels, unsigned order)
    : kernels_(kernels),
      order_(order),
      recursion_(order),
      recursion_view_{order, recursion_.sectoral.data(), recursion_.vertical.data(), recursion_.radial.data()},
      gradient_(order),
      scratch_(order) {
  for (unsigned octant = 0; octant < 8; ++octant) {
    to_parent_[octant] = multipole_to_multipole(order, offset_of(octant));
    to_child_[octant] = local_to_local(order, offset_of(octant));
  }
}

template <bool Up>
void Expansions::translate_level(const Tree& tree, std::size_t level, const Tables& tables, double* values) const {
  for (unsigned octant = 0; octant < 8; ++octant) {
    std::array<const double*, kMostColumns> sources;
    std::array<double*, kMostColumns> targets;
    unsigned count = 0;
    const auto flush = [&] {
      if (count > 0) kernels_.translate(view_of(tables[octant]), {sources.data(), targets.data(), count}, scratch());
      count = 0;
    };
    for (std::size_t parent = tree.levels[level - 1]; parent < tree.levels[level]; ++parent) {
      const Cell& cell = tree.cells[parent];
      for (std::size_t child = cell.first_child; child < cell.first_child + cell.children; ++child) {
        if (tree.cells[child].octant() != octant) continue;
        sources[count] = values + (Up ? child : parent) * stride();
        targets[count] = values + (Up ? parent : child) * stride();
        if (++count == kernels_.columns) flush();
      }
    }
    flush();
  }
}

void Expansions::upward(const Tree& tree, const Domain& domain, const Bodies& bodies, double* multipoles) const {
  for (std::size_t i = 0; i < tree.cells.size(); ++i) {
    const Cell& cell = tree.cells[i];
    if (!cell.leaf()) continue;
    kernels_.bodies_to_multipole(recursion_view_, bodies, cell.bodies(), domain.cube_of(cell),
                                 multipoles + i * stride(), scratch());
  }
  for (std::size_t level = tree.depth(); level-- > 1;) translate_level<true>(tree, level, to_parent_, multipoles);
}

void Expansions::downward(const Tree& tree, const Domain& domain, const Bodies& bodies, double* locals,
                          const Field& field) const {
  for (std::size_t level = 1; level < tree.depth(); ++level) translate_level<false>(tree, level, to_child_, locals);
  std::vector<double> derivatives(4 * terms(order_));
  for (std::size_t i = 0; i < tree.cells.size(); ++i) {
    const Cell& cell = tree.cells[i];
    if (!cell.leaf()) continue;
    gradient_.expand(locals + i * stride(), derivatives.data());
    kernels_.local_to_bodies(recursion_view_, bodies, cell.bodies(), domain.cube_of(cell), derivatives.data(), field,
                             scratch());
  }
}

}  // namespace fmm
