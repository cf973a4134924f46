// The gradient of a local expansion: three more expansions, of one degree less.
#pragma once

#include "harmonics.hpp"

#include <vector>

namespace fmm {

// What differentiating each term gives, for one order.
class Gradient {
 public:
  explicit Gradient(unsigned order);

  // For each term four numbers: of the expansion itself, and of its derivatives by x, y and z. `out` has 4 *
  // terms(order) places. Lengths are in the unit of the expansion.
  void expand(const double* local, double* out) const;

 private:
  // d/d(axis) C_from = ... + factor C_to + ...
  struct Part {
    unsigned from, to, axis;
    double factor;
  };
  void add(unsigned axis, std::size_t from, std::size_t to, double factor);
  void differentiate(unsigned n, unsigned m);

  unsigned order_;
  std::vector<Part> parts_;
};

}  // namespace fmm
