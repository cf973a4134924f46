// Lloyd's algorithm: each point to the nearest centroid, each centroid to the mean of its points, again and again.
// Lloyd, "Least squares quantization in PCM", IEEE Trans. Information Theory 28 (1982).
#pragma once

#include "centroids.hpp"
#include "common/progress.hpp"
#include "common/team.hpp"
#include "points.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace kmeans {

using polder::Code;
using polder::Result;
using polder::Status;

// What all ranks know of all points.
struct Extent {
  std::uint64_t points = 0;  // of all ranks
  std::uint64_t first = 0;   // number of this rank's first one
  double largest = 0;        // coordinate, in absolute value
};

// What one iteration hands on to the next: equal to the bit at all ranks.
struct State {
  Centroids centroids;
  std::uint64_t iterations = 0;
  bool converged = false;
};

struct Clustering {
  State state;
  std::vector<std::int32_t> labels;     // of this rank's points
  double inertia = 0;                   // sum of the squared distances to the nearest centroid
  std::uint64_t relocated = 0;          // centroids that had lost all points and got one that was far from its own
  double searching = 0, combining = 0;  // seconds of this rank
};

struct Stop {
  std::uint64_t iterations = 300;
  double tolerance = 0;  // ends when no centroid moves further; 0: when none moves at all
};

// Called after each iteration, at all ranks with the same state.
using AfterIteration = std::function<void(const State& state)>;

// Collective. Goes on from `state` and ends with labels that belong to the centroids. The result has the same bits whatever the number of ranks and however points are shared out, on processors of one kind.
// Memory: 28 bytes a point, and two tables of clusters x (2 dims + 1) x 8 bytes.
Result<Clustering> cluster(const apps::Team& team, const Points& points, const Extent& extent, State state,
                           const Stop& stop, const AfterIteration& after, apps::Progress& progress);

}  // namespace kmeans
