// What the points of each cluster add up to. Integers all through, so that the sums of ranks can be added in any order.
#pragma once

#include "exact_sum.hpp"
#include "points.hpp"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kmeans {

class ClusterSums {
 public:
  ClusterSums(std::size_t clusters, std::size_t dims, Units units)
      : clusters_(clusters), dims_(dims), units_(units), numbers_(clusters * row()) {}

  std::size_t clusters() const { return clusters_; }
  std::size_t dims() const { return dims_; }

  void add(std::size_t cluster, const Points& points, std::size_t point) { change(cluster, points, point, 1); }
  void take(std::size_t cluster, const Points& points, std::size_t point) { change(cluster, points, point, -1); }
  // The same for coordinates that lie in a row.
  void add(std::size_t cluster, std::span<const double> point) { change(cluster, point, 1); }
  void take(std::size_t cluster, std::span<const double> point) { change(cluster, point, -1); }

  std::int64_t count(std::size_t cluster) const { return numbers_[cluster * row() + 2 * dims_]; }
  // Their mean, in `to`. REQUIRES: count(cluster) > 0.
  void mean(std::size_t cluster, std::span<double> to) const {
    assert(count(cluster) > 0);
    const std::int64_t* const sums = &numbers_[cluster * row()];
    for (std::size_t dim = 0; dim < dims_; ++dim)
      to[dim] = units_.number({sums[dim], sums[dims_ + dim]}) / double(sums[2 * dims_]);
  }

  // All of it, for an allreduce.
  std::span<std::int64_t> numbers() { return numbers_; }

 private:
  std::size_t row() const { return 2 * dims_ + 1; }

  void change(std::size_t cluster, const Points& points, std::size_t point, std::int64_t sign) {
    std::int64_t* const sums = &numbers_[cluster * row()];
    for (std::size_t dim = 0; dim < dims_; ++dim) change(sums, dim, points.at(point, dim), sign);
    sums[2 * dims_] += sign;
  }
  void change(std::size_t cluster, std::span<const double> point, std::int64_t sign) {
    std::int64_t* const sums = &numbers_[cluster * row()];
    for (std::size_t dim = 0; dim < dims_; ++dim) change(sums, dim, point[dim], sign);
    sums[2 * dims_] += sign;
  }
  void change(std::int64_t* sums, std::size_t dim, double value, std::int64_t sign) const {
    const Parts parts = units_.parts(value);
    sums[dim] += sign * parts.high;
    sums[dims_ + dim] += sign * parts.low;
  }

  std::size_t clusters_, dims_;
  Units units_;
  std::vector<std::int64_t> numbers_;  // per cluster: high parts, low parts, count
};

}  // namespace kmeans
