// Real solid harmonics, the functions that all expansions are made of.
//
//   C_n^{m,cos}(r) = f |r|^n P_n^m(cos t) cos(m p)      f = sqrt(2 (n-m)! / (n+m)!), without the 2 for m = 0
//
// and the same with sin for m > 0; (|r|, t, p) are spherical coordinates, P_n^m is positive near its pole (no
// Condon-Shortley sign). In this (Schmidt's) normalisation the addition theorem has no coefficients,
//
//   1 / |x - y| = sum_n |x|^-(2n+1) sum_i C_ni(y) C_ni(x)      for |y| < |x|,
//
// and a rotation of space acts on the terms of a degree by an orthogonal matrix.
#pragma once

#include <cstddef>
#include <vector>

namespace fmm {

inline constexpr unsigned kMinOrder = 1;
inline constexpr unsigned kMaxOrder = 30;

// Terms of degrees 0 .. order. Those of degree n are cos 0 .. n, then sin 1 .. n.
constexpr std::size_t terms(unsigned order) {
  return std::size_t(order + 1) * (order + 1);
}
constexpr std::size_t cos_term(unsigned n, unsigned m) {
  return std::size_t(n) * n + m;
}
constexpr std::size_t sin_term(unsigned n, unsigned m) {  // m > 0
  return std::size_t(n) * n + n + m;
}

// log(n!). Thread safe.
double log_factorial(unsigned n);

// The factor f above, times n-independent parts cancelled: sqrt((n-m)! (n+m)!), and sqrt(2) more for m > 0. Divides
// C_n^m to give the functions r^n P_n^m / (n+m)!, whose derivatives and translations are simple.
double schmidt(unsigned n, unsigned m);

// How C_n^m follows from lower ones: C_m^m = sectoral[m] (x + i y) C_{m-1}^{m-1}, and
// C_n^m = vertical[i] z C_{n-1}^m - radial[i] r^2 C_{n-2}^m with i = n (n+1) / 2 + m.
struct HarmonicRecursion {
  explicit HarmonicRecursion(unsigned order);

  unsigned order;
  std::vector<double> sectoral;
  std::vector<double> vertical;
  std::vector<double> radial;
};

// All terms at one point, one by one: what the vectorised kernels are checked against. `values` has terms(order)
// places.
void harmonics(const HarmonicRecursion& recursion, const double point[3], double* values);

}  // namespace fmm
