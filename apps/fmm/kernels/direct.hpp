// Direct summation: the bodies of some ranges act on each target.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/lanes.hpp"

namespace fmm {

// N vectors of targets stay in registers while all sources pass by: 20 operations for each vector and source.
template <class Isa, unsigned N>
struct DirectTile {
  using V = Lanes<Isa, double>;
  static constexpr std::size_t kWidth = kLanes<Isa, double>;

  V x[N], y[N], z[N];
  V potential[N]{}, fx[N]{}, fy[N]{}, fz[N]{};

  DirectTile(const Bodies& targets, std::size_t first) {
    for (unsigned i = 0; i < N; ++i) {
      x[i] = load<V>(targets.x + first + i * kWidth);
      y[i] = load<V>(targets.y + first + i * kWidth);
      z[i] = load<V>(targets.z + first + i * kWidth);
    }
  }

  template <bool Exact>
  [[gnu::always_inline]] void add(const Bodies& sources, Range range) {
    for (std::size_t j = range.begin; j < range.end; ++j) {
      const V sx = splat<V>(sources.x[j]), sy = splat<V>(sources.y[j]), sz = splat<V>(sources.z[j]);
      const V charge = splat<V>(sources.charge[j]);
      for (unsigned i = 0; i < N; ++i) {
        const V dx = x[i] - sx, dy = y[i] - sy, dz = z[i] - sz;
        const V r2 = dx * dx + dy * dy + dz * dz;
        const V root = Exact ? exact_inverse_root(r2) : Isa::inverse_root(r2);
        const V inverse = r2 > 0 ? root : V{};
        const V q = charge * inverse;
        const V force = q * (inverse * inverse);
        potential[i] += q;
        fx[i] += force * dx;
        fy[i] += force * dy;
        fz[i] += force * dz;
      }
    }
  }

  bool finite() const {
    bool all = true;
    for (unsigned i = 0; i < N; ++i)
      for (std::size_t lane = 0; lane < kWidth; ++lane) all = all && potential[i][lane] - potential[i][lane] == 0;
    return all;
  }

  // Lanes beyond `count` are not stored.
  void store_to(const Field& field, std::size_t first, std::size_t count) const {
    add_to(field.potential + first, potential, count);
    add_to(field.x + first, fx, count);
    add_to(field.y + first, fy, count);
    add_to(field.z + first, fz, count);
  }

 private:
  static void add_to(double* sums, const V (&values)[N], std::size_t count) {
    for (unsigned i = 0; i < N; ++i) {
      for (std::size_t lane = 0; lane < kWidth && i * kWidth + lane < count; ++lane)
        sums[i * kWidth + lane] += values[i][lane];
    }
  }
};

template <class Isa, unsigned N, bool Exact = false>
void direct_tile(const Bodies& targets, Range target, const Field& field, const Bodies& sources, const Range* ranges,
                 std::size_t count) {
  DirectTile<Isa, N> tile(targets, target.begin);
  for (std::size_t i = 0; i < count; ++i) tile.template add<Exact>(sources, ranges[i]);
  if constexpr (!Exact) {
    // Bodies so near to each other that the fast root fails: rare enough to do all anew, and nothing is asked before.
    if (!tile.finite()) return direct_tile<Isa, N, true>(targets, target, field, sources, ranges, count);
  }
  tile.store_to(field, target.begin, target.end - target.begin);
}

template <class Isa>
void direct(const Bodies& targets, Range target, const Field& field, const Bodies& sources, const Range* ranges,
            std::size_t count) {
  constexpr std::size_t kWidth = kLanes<Isa, double>;
  for (std::uint32_t first = target.begin; first < target.end;) {
    const bool wide = target.end - first > kWidth;
    const Range tile{first, target.end};
    if (wide) {
      direct_tile<Isa, Isa::kTargets>(targets, tile, field, sources, ranges, count);
    } else {
      direct_tile<Isa, 1>(targets, tile, field, sources, ranges, count);
    }
    first += std::uint32_t(wide ? kWidth * Isa::kTargets : kWidth);
  }
}

}  // namespace fmm
