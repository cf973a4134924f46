// The search of one tile, for vectors of kBytes. The score of a centroid c at a point x is |c|^2 / 2 - x c: among
// centroids, the one of the least score is the nearest.
#pragma once

#include "kernels/kernel.hpp"

namespace kmeans {

// Eight accumulators at a time: of a tile of 16 points, and of so many centroids that registers suffice.
template <std::size_t kBytes>
struct TileSearch {
  typedef double Lanes __attribute__((vector_size(kBytes)));
  static constexpr std::size_t kVectors = kTile * sizeof(double) / kBytes;
  static constexpr std::size_t kAtOnce = kVectors >= 8 ? 1 : 8 / kVectors;
  static_assert(kCentroidsAtOnce % kAtOnce == 0);

  static Lanes load(const double* from) {
    Lanes lanes;
    __builtin_memcpy(&lanes, from, sizeof lanes);
    return lanes;
  }
  static Lanes splat(double value) { return value - Lanes{}; }

  static void search(const double* tile, std::size_t dims, const CentroidBlock& block, double* score, double* label) {
    Lanes least[kVectors], best[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      least[v] = load(score + v * (kBytes / 8));
      best[v] = load(label + v * (kBytes / 8));
    }
    for (std::size_t c = 0; c < block.size; c += kAtOnce) {
      Lanes sums[kAtOnce][kVectors];
      scores(tile, dims, block.values + c * dims, block.half_squares + c, sums);
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        const Lanes number = splat(double(block.first + c + i));
        for (std::size_t v = 0; v < kVectors; ++v) {
          best[v] = sums[i][v] < least[v] ? number : best[v];
          least[v] = sums[i][v] < least[v] ? sums[i][v] : least[v];
        }
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      __builtin_memcpy(score + v * (kBytes / 8), &least[v], kBytes);
      __builtin_memcpy(label + v * (kBytes / 8), &best[v], kBytes);
    }
  }

 private:
  [[gnu::always_inline]] static void scores(const double* tile, std::size_t dims, const double* centroids,
                                            const double* half_squares, Lanes (&sums)[kAtOnce][kVectors]) {
    for (std::size_t i = 0; i < kAtOnce; ++i)
      for (std::size_t v = 0; v < kVectors; ++v) sums[i][v] = splat(half_squares[i]);
    for (std::size_t dim = 0; dim < dims; ++dim) {
      Lanes x[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) x[v] = load(tile + dim * kTile + v * (kBytes / 8));
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        const Lanes c = splat(centroids[i * dims + dim]);
        for (std::size_t v = 0; v < kVectors; ++v) sums[i][v] -= x[v] * c;
      }
    }
  }
};

}  // namespace kmeans
