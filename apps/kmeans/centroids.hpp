// Centroids, row by row; the same at all ranks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kmeans {

class Centroids {
 public:
  Centroids() = default;
  Centroids(std::size_t size, std::size_t dims) : size_(size), dims_(dims), values_(size * dims) {}

  std::size_t size() const { return size_; }
  std::size_t dims() const { return dims_; }
  std::span<double> operator[](std::size_t i) { return std::span(values_).subspan(i * dims_, dims_); }
  std::span<const double> operator[](std::size_t i) const { return std::span(values_).subspan(i * dims_, dims_); }
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }

  void append(std::span<const double> centroid) {
    values_.insert(values_.end(), centroid.begin(), centroid.end());
    ++size_;
  }

 private:
  std::size_t size_ = 0, dims_ = 0;
  std::vector<double> values_;
};

}  // namespace kmeans
