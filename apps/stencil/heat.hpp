// The heat equation by explicit steps on a regular grid: by all units of a team, and in plain memory to compare with.
#pragma once

#include <polder/collective.hpp>
#include <polder/containers/halo.hpp>

#include <cmath>
#include <vector>

namespace stencil {

using polder::containers::Boundary;
using polder::containers::Edge;
using polder::containers::HaloField;
using polder::containers::Index;
using polder::containers::IndexBox;
using polder::containers::Offset;
using polder::containers::Stencil;
using polder::containers::Team;

template <std::size_t N>
struct HeatProblem {
  Index<N> extents{};
  std::size_t steps = 0;
  bool periodic = false;  // else the edges are held at 0
  double rate = 0.4 / N;  // of exchange with the 2 N neighbours, stable up to 1 / (2 N)
};

// A warm ridge that differs in every dimension.
template <std::size_t N>
double start_heat(const HeatProblem<N>& problem, const Index<N>& index) {
  double heat = 1;
  for (std::size_t d = 0; d < N; ++d)
    heat *= 1 + std::sin(double(d + 1) * 6.283185307179586 * double(index[d]) / double(problem.extents[d]));
  return heat;
}

// One step of one element: the sum runs in the same order everywhere, so results are equal to the bit.
template <std::size_t N, class At>
double next_heat(double rate, const At& at) {
  const double here = at(Offset<N>{});
  double flow = 0;
  for (std::size_t d = 0; d < N; ++d) {
    Offset<N> below{}, above{};
    below[d] = -1;
    above[d] = 1;
    flow += at(below) + at(above) - 2 * here;
  }
  return here + rate * flow;
}

// This unit's part after all steps, row-major over `box`.
template <std::size_t N>
struct HeatPart {
  IndexBox<N> box;
  std::vector<double> heat;
};

// Collective. Throws Failure. `overlap`: the inner elements while those of the neighbours travel.
template <std::size_t N>
HeatPart<N> solve(const Team& team, const HeatProblem<N>& problem, bool overlap = true) {
  polder::containers::HaloOptions<double, N> options{.name = "heat", .fields = 2};
  options.boundaries.fill({.edge = problem.periodic ? Edge::periodic : Edge::fixed});
  HaloField<double, N> field(team, problem.extents, Stencil<N>::star(1), options);
  HeatPart<N> part{field.box(), std::vector<double>(field.box().size())};
  auto local = [&](std::size_t place) {
    Offset<N> offset{};
    const Index<N> index = polder::containers::index_at(place, part.box.extents);
    for (std::size_t d = 0; d < N; ++d) offset[d] = std::ptrdiff_t(index[d]);
    return offset;
  };
  for (std::size_t place = 0; place < part.heat.size(); ++place) {
    Index<N> index = polder::containers::index_at(place, part.box.extents);
    for (std::size_t d = 0; d < N; ++d) index[d] += part.box.first[d];
    field.at(0, local(place)) = start_heat(problem, index);
  }
  for (std::size_t step = 0; step < problem.steps; ++step)
    field.step(
        step % 2, 1 - step % 2,
        [&](const auto& at) { return next_heat<N>(problem.rate, [&](const Offset<N>& to) { return at[to]; }); },
        overlap);
  for (std::size_t place = 0; place < part.heat.size(); ++place)
    part.heat[place] = field.at(problem.steps % 2, local(place));
  return part;
}

// All elements after all steps, by one thread.
template <std::size_t N>
std::vector<double> solve_serially(const HeatProblem<N>& problem) {
  std::vector<double> now(polder::containers::volume(problem.extents)), next(now.size());
  for (std::size_t place = 0; place < now.size(); ++place)
    now[place] = start_heat(problem, polder::containers::index_at(place, problem.extents));
  for (std::size_t step = 0; step < problem.steps; ++step) {
    for (std::size_t place = 0; place < now.size(); ++place) {
      const Index<N> index = polder::containers::index_at(place, problem.extents);
      next[place] = next_heat<N>(problem.rate, [&](const Offset<N>& to) {
        Index<N> other{};
        for (std::size_t d = 0; d < N; ++d) {
          const std::size_t extent = problem.extents[d];
          if (!problem.periodic && ((to[d] < 0 && index[d] == 0) || (to[d] > 0 && index[d] + 1 == extent))) return 0.0;
          other[d] = (index[d] + extent + std::size_t(to[d])) % extent;
        }
        return now[polder::containers::position_of(other, problem.extents)];
      });
    }
    now.swap(next);
  }
  return now;
}

// Elements of a part that differ from the serial result in any bit.
template <std::size_t N>
std::size_t differences(const HeatPart<N>& part, const HeatProblem<N>& problem) {
  const std::vector<double> serial = solve_serially(problem);
  std::size_t wrong = 0;
  for (std::size_t place = 0; place < part.heat.size(); ++place) {
    Index<N> index = polder::containers::index_at(place, part.box.extents);
    for (std::size_t d = 0; d < N; ++d) index[d] += part.box.first[d];
    if (part.heat[place] != serial[polder::containers::position_of(index, problem.extents)]) ++wrong;
  }
  return wrong;
}

}  // namespace stencil
