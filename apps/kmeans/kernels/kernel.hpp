// What is compiled once for each kind of vector unit.
#pragma once

#include "points.hpp"

#include <cstddef>
#include <cstdint>

namespace kmeans {

// Some centroids in a row: their coordinates, and half the square of each one's length.
struct CentroidBlock {
  const double* values;
  const double* half_squares;
  std::size_t first;  // number of the first one
  std::size_t size;   // a multiple of kCentroidsAtOnce
};
inline constexpr std::size_t kCentroidsAtOnce = 4;

// Looks whether a centroid of the block is nearer to one of the tile's points than `score` and `label` say, and notes it.
using SearchTile = void (*)(const double* tile, std::size_t dims, const CentroidBlock& block, double* score,
                            double* label);

struct SearchKernel {
  const char* name;
  SearchTile search;
};

extern const SearchKernel kPortableSearch;
// The best one for this processor.
const SearchKernel& search_kernel();

}  // namespace kmeans
