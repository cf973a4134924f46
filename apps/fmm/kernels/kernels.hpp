// The inner loops, compiled once for each kind of vector unit and chosen when the program starts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fmm {

// Arrays of bodies. Kernels may read kPadding doubles beyond the last body that they are given.
inline constexpr std::size_t kPadding = 16;
struct Bodies {
  const double* x = nullptr;
  const double* y = nullptr;
  const double* z = nullptr;
  const double* charge = nullptr;
};

// What is computed at bodies: potential = sum q / r, and the field sum q r / |r|^3, which is minus its gradient.
struct Field {
  double* potential = nullptr;
  double* x = nullptr;
  double* y = nullptr;
  double* z = nullptr;
};

// Bodies begin .. end-1.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// HarmonicRecursion and TranslationTable without their containers: kernels are compiled with instructions that the
// machine may lack, so they must not instantiate anything that the rest of the program uses, too.
struct RecursionView {
  unsigned order;
  const double* sectoral;
  const double* vertical;
  const double* radial;
};
template <class T>
struct TranslationView {
  unsigned order;
  const T* azimuth;
  const T* polar;
  const T* axial;
};

// A cube: expansions are kept in units of its side.
struct Cube {
  double centre[3];
  double side;
  double rest[3] = {};  // what the rounded centre lacks
};

// Expansions have this many places, the last of them 0, so that kernels work on whole vectors.
constexpr std::size_t padded_terms(unsigned order) {
  return (std::size_t(order + 1) * (order + 1) + 7) / 8 * 8;
}

// The most expansions that a call of `translate` takes; each instance has its own number, which divides this.
inline constexpr unsigned kMostColumns = 32;
// Bytes of scratch memory that the kernels need, aligned to 64.
constexpr std::size_t scratch_bytes(unsigned order) {
  return 5 * padded_terms(order) * 128;
}

// Sources and targets of one translation each; `targets` are added to.
struct Moves {
  const double* const* sources;
  double* const* targets;
  unsigned count;  // at most `columns`
};

struct Kernels {
  const char* name;
  unsigned columns;        // that `translate` is fast with
  unsigned float_columns;  // likewise

  // Adds to `field` at targets begin .. end-1 what the bodies of the ranges cause. A pair at distance 0 counts nothing:
  // a body does not act on itself.
  void (*direct)(const Bodies& targets, Range target, const Field& field, const Bodies& sources, const Range* ranges,
                 std::size_t count);

  // Adds the multipole expansion about `cube` of the bodies.
  void (*bodies_to_multipole)(const RecursionView&, const Bodies&, Range, const Cube&, double* multipole,
                              void* scratch);

  // Adds to `field` at the bodies what a local expansion and its gradient say (see gradient.hpp): four numbers a term.
  void (*local_to_bodies)(const RecursionView&, const Bodies&, Range, const Cube&, const double* local,
                          const Field& field, void* scratch);

  void (*translate)(const TranslationView<double>&, const Moves&, void* scratch);
  void (*translate_float)(const TranslationView<float>&, const Moves&, void* scratch);
};

// All that this program has and this processor can run, the fastest first; ends with nullptr.
const Kernels* const* available_kernels();
// By name, or the fastest if `name` is empty; nullptr: there is none of that name here.
const Kernels* find_kernels(const char* name);

}  // namespace fmm
