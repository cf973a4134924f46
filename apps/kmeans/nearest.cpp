#include "nearest.hpp"

#include "kernels/kernel.hpp"

#include <algorithm>
#include <limits>

namespace kmeans {
namespace {

// A group of tiles and a block of centroids stay in a core's second cache together, each read again for every one of the
// other.
constexpr std::size_t kGroupBytes = 256 << 10, kBlockBytes = 128 << 10;
constexpr std::size_t kFewestTiles = 4;

// Centroids, filled up to a whole number of kCentroidsAtOnce with such as are near to nothing.
class Padded {
 public:
  explicit Padded(const Centroids& centroids)
      : dims_(centroids.dims()),
        size_((centroids.size() + kCentroidsAtOnce - 1) / kCentroidsAtOnce * kCentroidsAtOnce),
        values_(size_ * dims_),
        half_squares_(size_, std::numeric_limits<double>::infinity()) {
    std::ranges::copy(centroids.values(), values_.begin());
    for (std::size_t i = 0; i < centroids.size(); ++i) {
      double square = 0;
      for (const double value : centroids[i]) square += value * value;
      half_squares_[i] = square / 2;
    }
  }

  std::size_t size() const { return size_; }
  CentroidBlock block(std::size_t first, std::size_t size) const {
    return {&values_[first * dims_], &half_squares_[first], first, size};
  }

 private:
  std::size_t dims_, size_;
  std::vector<double> values_, half_squares_;
};

}  // namespace

void find_nearest(const Points& points, const Centroids& centroids, Nearest& nearest) {
  const SearchTile search = search_kernel().search;
  const Padded padded(centroids);
  const std::size_t dims = points.dims(), tile_bytes = kTile * dims * sizeof(double);
  const std::size_t group = std::max(kFewestTiles, kGroupBytes / tile_bytes);
  const std::size_t most = kBlockBytes / (dims * sizeof(double)) / kCentroidsAtOnce * kCentroidsAtOnce;
  const std::size_t block = std::max(kCentroidsAtOnce, most);
  std::vector<double> labels(group * kTile);
  for (std::size_t from = 0; from < points.tiles(); from += group) {
    const std::size_t tiles = std::min(group, points.tiles() - from);
    double* const score = &nearest.score[from * kTile];
    std::fill_n(score, tiles * kTile, std::numeric_limits<double>::infinity());
    std::fill_n(labels.begin(), tiles * kTile, 0.0);
    for (std::size_t first = 0; first < padded.size(); first += block) {
      const CentroidBlock some = padded.block(first, std::min(block, padded.size() - first));
      for (std::size_t tile = 0; tile < tiles; ++tile)
        search(points.tile(from + tile), dims, some, score + tile * kTile, &labels[tile * kTile]);
    }
    std::transform(labels.begin(), labels.begin() + std::ptrdiff_t(tiles * kTile), &nearest.label[from * kTile],
                   [](double label) { return std::int32_t(label); });
  }
}

const char* vectors_name() {
  return search_kernel().name;
}

std::vector<double> half_squares(const Points& points) {
  std::vector<double> squares(points.tiles() * kTile);
  for (std::size_t tile = 0; tile < points.tiles(); ++tile)
    for (std::size_t dim = 0; dim < points.dims(); ++dim)
      for (std::size_t i = 0; i < kTile; ++i) {
        const double value = points.tile(tile)[dim * kTile + i];
        squares[tile * kTile + i] += value * value / 2;
      }
  return squares;
}

}  // namespace kmeans
