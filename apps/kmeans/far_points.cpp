#include "far_points.hpp"

#include "common/exchange.hpp"

#include <algorithm>
#include <numeric>

namespace kmeans {

using polder::Result;

Result<std::vector<FarPoint>> farthest_points(const apps::Team& team, const Points& points, std::uint64_t first,
                                              std::span<const std::int32_t> labels, std::size_t wanted,
                                              const std::function<double(std::size_t)>& distance) {
  std::vector<double> distances(points.size());
  for (std::size_t i = 0; i < distances.size(); ++i) distances[i] = distance(i);
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t some = std::min(2 * wanted, order.size());
  std::ranges::partial_sort(order, order.begin() + std::ptrdiff_t(some), [&](std::uint32_t a, std::uint32_t b) {
    return distances[a] != distances[b] ? distances[a] > distances[b] : a < b;
  });
  // A row: distance, number, label, coordinates. Numbers below 2^53 are exact.
  const std::size_t row = 3 + points.dims();
  std::vector<double> mine(some * row);
  for (std::size_t i = 0; i < some; ++i) {
    double* const to = &mine[i * row];
    to[0] = distances[order[i]];
    to[1] = double(first + order[i]);
    to[2] = double(labels[order[i]]);
    points.copy(order[i], {to + 3, points.dims()});
  }
  const Result<std::vector<double>> all = apps::gather_all<double>(team, mine);
  if (!all.ok()) return all.status();
  std::vector<FarPoint> far;
  for (std::size_t at = 0; at < all->size(); at += row) {
    const double* const from = all->data() + at;
    far.push_back({from[0], std::uint64_t(from[1]), std::int32_t(from[2]), {from + 3, from + row}});
  }
  std::ranges::sort(far, [](const FarPoint& a, const FarPoint& b) {
    return a.distance != b.distance ? a.distance > b.distance : a.number < b.number;
  });
  return far;
}

}  // namespace kmeans
