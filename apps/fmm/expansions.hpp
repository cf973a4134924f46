// The multipole and local expansions of a tree's cells, and the sweeps up and down the tree.
#pragma once

#include "domain.hpp"
#include "gradient.hpp"
#include "harmonics.hpp"
#include "kernels/kernels.hpp"
#include "translation.hpp"
#include "tree.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace fmm {

// Memory for a kernel to work in.
class Scratch {
 public:
  explicit Scratch(unsigned order) : data_(::operator new(scratch_bytes(order), kAlignment)) {}
  ~Scratch() { ::operator delete(data_, kAlignment); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  void* data() const { return data_; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  void* data_;
};

template <class T>
TranslationView<T> view_of(const TranslationTable<T>& table) {
  return {table.order, table.azimuth.data(), table.polar.data(), table.axial.data()};
}

// All that depends on the order alone. Not thread safe: kernels share its scratch memory.
class Expansions {
 public:
  Expansions(const Kernels& kernels, unsigned order);

  unsigned order() const { return order_; }
  std::size_t stride() const { return padded_terms(order_); }
  const Kernels& kernels() const { return kernels_; }
  void* scratch() const { return scratch_.data(); }

  // Multipole expansions of all cells, stride() places each, all 0 before.
  void upward(const Tree& tree, const Domain& domain, const Bodies& bodies, double* multipoles) const;
  // Passes local expansions down to the leaves and adds them to the fields of the bodies.
  void downward(const Tree& tree, const Domain& domain, const Bodies& bodies, double* locals, const Field& field) const;

 private:
  using Tables = std::array<TranslationTable<double>, 8>;

  // For all cells of a level and their parents: the table of their octant.
  template <bool Up>
  void translate_level(const Tree& tree, std::size_t level, const Tables& tables, double* values) const;

  const Kernels& kernels_;
  unsigned order_;
  HarmonicRecursion recursion_;
  RecursionView recursion_view_;
  Gradient gradient_;
  Tables to_parent_;
  Tables to_child_;
  Scratch scratch_;
};

}  // namespace fmm
