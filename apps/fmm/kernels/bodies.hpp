// Between bodies and expansions: the lanes of a vector are bodies.
#pragma once

#include "harmonics.hpp"
#include "kernels/kernels.hpp"
#include "kernels/lanes.hpp"

namespace fmm {

// Bodies first .. first+lanes-1 seen from the centre of a cube, in its sides. Lanes beyond the end have no charge.
template <class Isa>
struct BodyLanes {
  using V = Lanes<Isa, double>;
  static constexpr std::size_t kWidth = kLanes<Isa, double>;

  V x, y, z, charge;
  std::size_t count;

  BodyLanes(const Bodies& bodies, std::size_t first, std::size_t end, const Cube& cube)
      : x(load<V>(bodies.x + first)),
        y(load<V>(bodies.y + first)),
        z(load<V>(bodies.z + first)),
        charge(load<V>(bodies.charge + first)),
        count(end - first < kWidth ? end - first : kWidth) {
    const double scale = 1 / cube.side;
    x = (x - cube.centre[0] - cube.rest[0]) * scale;
    y = (y - cube.centre[1] - cube.rest[1]) * scale;
    z = (z - cube.centre[2] - cube.rest[2]) * scale;
    for (std::size_t lane = count; lane < kWidth; ++lane) x[lane] = y[lane] = z[lane] = charge[lane] = 0;
  }
};

// All terms for a vector of points, by the recursion of harmonics.hpp.
template <class Isa, class V = Lanes<Isa, double>>
void harmonics_of(const RecursionView& recursion, const BodyLanes<Isa>& at, V* values) {
  const V r2 = at.x * at.x + at.y * at.y + at.z * at.z;
  values[0] = splat<V>(1.0);
  for (unsigned n = 1; n <= recursion.order; ++n) {
    const double* vertical = recursion.vertical + n * (n + 1) / 2;
    const double* radial = recursion.radial + n * (n + 1) / 2;
    for (unsigned m = 0; m + 1 < n; ++m) {
      const V a = vertical[m] * at.z, b = radial[m] * r2;
      values[cos_term(n, m)] = a * values[cos_term(n - 1, m)] - b * values[cos_term(n - 2, m)];
      if (m > 0) values[sin_term(n, m)] = a * values[sin_term(n - 1, m)] - b * values[sin_term(n - 2, m)];
    }
    const V a = vertical[n - 1] * at.z;
    const V c = values[cos_term(n - 1, n - 1)];
    const V s = n > 1 ? values[sin_term(n - 1, n - 1)] : V{};
    values[cos_term(n, n - 1)] = a * c;
    if (n > 1) values[sin_term(n, n - 1)] = a * s;
    values[cos_term(n, n)] = recursion.sectoral[n] * (at.x * c - at.y * s);
    values[sin_term(n, n)] = recursion.sectoral[n] * (at.x * s + at.y * c);
  }
}

template <class Isa>
void bodies_to_multipole(const RecursionView& recursion, const Bodies& bodies, Range range, const Cube& cube,
                         double* multipole, void* scratch) {
  using V = Lanes<Isa, double>;
  const std::size_t count = std::size_t(recursion.order + 1) * (recursion.order + 1);
  V* values = static_cast<V*>(scratch);
  V* sums = values + count;
  for (std::size_t i = 0; i < count; ++i) sums[i] = V{};
  for (std::size_t first = range.begin; first < range.end; first += kLanes<Isa, double>) {
    const BodyLanes<Isa> at(bodies, first, range.end, cube);
    harmonics_of<Isa>(recursion, at, values);
    for (std::size_t i = 0; i < count; ++i) sums[i] += at.charge * values[i];
  }
  for (std::size_t i = 0; i < count; ++i) multipole[i] += sum_of(sums[i]);
}

template <class V>
[[gnu::always_inline]] inline void add_lanes(double* sums, V values, std::size_t count) {
  for (std::size_t lane = 0; lane < count; ++lane) sums[lane] += values[lane];
}

template <class Isa>
void local_to_bodies(const RecursionView& recursion, const Bodies& bodies, Range range, const Cube& cube,
                     const double* local, const Field& field, void* scratch) {
  using V = Lanes<Isa, double>;
  const std::size_t count = std::size_t(recursion.order + 1) * (recursion.order + 1);
  V* values = static_cast<V*>(scratch);
  const double scale = 1 / cube.side, steeper = -scale * scale;
  for (std::size_t first = range.begin; first < range.end; first += kLanes<Isa, double>) {
    const BodyLanes<Isa> at(bodies, first, range.end, cube);
    harmonics_of<Isa>(recursion, at, values);
    V potential{}, x{}, y{}, z{};
    for (std::size_t i = 0; i < count; ++i) {
      potential += local[4 * i] * values[i];
      x += local[4 * i + 1] * values[i];
      y += local[4 * i + 2] * values[i];
      z += local[4 * i + 3] * values[i];
    }
    add_lanes(field.potential + first, potential * scale, at.count);
    add_lanes(field.x + first, x * steeper, at.count);
    add_lanes(field.y + first, y * steeper, at.count);
    add_lanes(field.z + first, z * steeper, at.count);
  }
}

}  // namespace fmm
