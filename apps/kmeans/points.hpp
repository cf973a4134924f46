// Points, as the search for the nearest centroid wants them: in tiles of 16, coordinate by coordinate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kmeans {

inline constexpr std::size_t kTile = 16;

// `size` points of `dims` coordinates. What is missing in the last tile is 0.
class Points {
 public:
  Points() = default;
  Points(std::size_t size, std::size_t dims)
      : size_(size), dims_(dims), values_((size + kTile - 1) / kTile * kTile * dims) {}

  std::size_t size() const { return size_; }
  std::size_t dims() const { return dims_; }
  std::size_t tiles() const { return (size_ + kTile - 1) / kTile; }

  double& at(std::size_t point, std::size_t dim) { return values_[place(point, dim)]; }
  double at(std::size_t point, std::size_t dim) const { return values_[place(point, dim)]; }
  // dims x kTile numbers.
  const double* tile(std::size_t tile) const { return &values_[tile * kTile * dims_]; }

  void copy(std::size_t point, std::span<double> to) const {
    for (std::size_t dim = 0; dim < dims_; ++dim) to[dim] = at(point, dim);
  }

  // Of `points` points, all ranks together or one.
  static std::uint64_t bytes_for(std::uint64_t points, std::uint64_t dims) { return (points + kTile) * dims * 8; }

 private:
  std::size_t place(std::size_t point, std::size_t dim) const {
    return (point / kTile * dims_ + dim) * kTile + point % kTile;
  }

  std::size_t size_ = 0, dims_ = 0;
  std::vector<double> values_;
};

// The rows that are rank's among `all`: as many as the others' or one more.
struct Share {
  std::uint64_t first = 0, size = 0;
};
constexpr Share share_of(std::uint64_t all, unsigned rank, unsigned ranks) {
  const std::uint64_t first = all / ranks * rank + (all % ranks * rank) / ranks;
  const std::uint64_t next = all / ranks * (rank + 1) + (all % ranks * (rank + 1)) / ranks;
  return {first, next - first};
}

}  // namespace kmeans
