// Where the centroids are at the beginning.
#pragma once

#include "centroids.hpp"
#include "clustering.hpp"

#include <cstdint>

namespace kmeans {

enum class Start : std::uint8_t {
  random,    // points, evenly drawn
  plusplus,  // points, each drawn by the square of its distance to those before: a pass over all points for each of them
  oversampled,  // as that, but hundreds at a time, of which as many as wanted are chosen: a dozen passes in all
};

// Collective. `clusters` points, the same at all ranks, and the same whatever the number of ranks. Where there are fewer
// different points than clusters, some are chosen twice.
//   plusplus     Arthur, Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007
//   oversampled  Bahmani et al., "Scalable k-means++", VLDB 2012, called k-means||: five rounds of 2 x clusters
Result<Centroids> choose_start(const apps::Team& team, const Points& points, const Extent& extent, Start start,
                               std::size_t clusters, std::uint64_t seed, apps::Progress& progress);

}  // namespace kmeans
