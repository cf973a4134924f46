// Moving expansions from one centre to another: multipole to multipole, multipole to local, local to local.
//
// All three turn space so that the way between the centres is the z axis, move along it, and turn back: O(order^3)
// instead of O(order^4) (White & Head-Gordon, J. Chem. Phys. 105 (1996) 5061). Along z, terms of different m do not
// mix.
#pragma once

#include "harmonics.hpp"

#include <cstddef>
#include <vector>

namespace fmm {

struct Vector {
  double x = 0, y = 0, z = 0;
};

// The numbers of one translation, for the kernels. T is the type that they compute with.
template <class T>
struct TranslationTable {
  unsigned order = 0;
  std::vector<T> azimuth;  // cos(m a) for m = 0 .. order, then sin(m a)
  std::vector<T> polar;    // blocks as in PolarRotation
  std::vector<T> axial;    // for each m the square of degrees m .. order, row by row: target degree, source degree
};

// Expansions are kept in units of their cell's side: M_n = sum q C_n(y / side), potential = sum L_n C_n(u / side) /
// side. So a table serves all levels of a tree.

// From a child at `offset` (from its parent's centre, in sides of the parent) to its parent.
TranslationTable<double> multipole_to_multipole(unsigned order, const Vector& offset);
// From a parent to its child at `offset`.
TranslationTable<double> local_to_local(unsigned order, const Vector& offset);
// From a source cell to a target cell at `way` from it; the sides are in the same unit.
template <class T>
TranslationTable<T> multipole_to_local(unsigned order, const Vector& way, double source_side, double target_side);

}  // namespace fmm
