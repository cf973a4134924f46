// The centroid that is nearest to each point: nearly all that the algorithm computes.
#pragma once

#include "centroids.hpp"
#include "points.hpp"

#include <cstdint>
#include <vector>

namespace kmeans {

// Of each point, those that fill the last tile included: the nearest centroid, the lowest of several, and half the square
// of its distance less half the square of the point's own length.
struct Nearest {
  std::vector<std::int32_t> label;
  std::vector<double> score;

  explicit Nearest(const Points& points) : label(points.tiles() * kTile), score(points.tiles() * kTile) {}
};

// points.size() x centroids.size() x (dims + 1) multiply-adds. The result for a point depends on nothing but the point and
// the centroids, so it is the same at any rank of machines of one kind.
void find_nearest(const Points& points, const Centroids& centroids, Nearest& nearest);

// "AVX-512", "AVX2", "portable": what find_nearest uses here.
const char* vectors_name();

// Half the square of each point's length, of whole tiles.
std::vector<double> half_squares(const Points& points);

}  // namespace kmeans
