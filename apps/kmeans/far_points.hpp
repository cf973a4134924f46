// Points that are far from their centroids, for clusters that have lost all of theirs.
#pragma once

#include "common/team.hpp"
#include "points.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace kmeans {

struct FarPoint {
  double distance = 0;       // of any monotonous kind
  std::uint64_t number = 0;  // among the points of all ranks
  std::int32_t label = 0;
  std::vector<double> coordinates;
};

// Collective. The points of all ranks in descending order of distance, of two that are equally far the one with the lower
// number first; at least `wanted` of them, or all there are. Point i of this rank is number `first` + i.
polder::Result<std::vector<FarPoint>> farthest_points(const apps::Team& team, const Points& points, std::uint64_t first,
                                                      std::span<const std::int32_t> labels, std::size_t wanted,
                                                      const std::function<double(std::size_t)>& distance);

}  // namespace kmeans
