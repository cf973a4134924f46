#include "start.hpp"

#include "common/exchange.hpp"
#include "draw.hpp"
#include "nearest.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

namespace kmeans {
namespace {

constexpr std::uint64_t kRandomStream = 1, kPickStream = 2, kOversamplingStream = 3, kChoiceStream = 4;
constexpr unsigned kRounds = 5;
constexpr std::size_t kOversampling = 2;  // candidates of a round, in clusters

// Whole numbers in the place of weights, so that their sums are the same in any order.
class WholeWeights {
 public:
  // For up to `count` weights of up to `largest`.
  WholeWeights(double largest, std::uint64_t count) {
    const int exponent = 61 - int(std::bit_width(count)) - (largest > 0 ? std::ilogb(largest) + 1 : 0);
    one_ = std::ldexp(1.0, exponent / 2);
    other_ = std::ldexp(1.0, exponent - exponent / 2);
  }

  std::uint64_t operator()(double weight) const { return weight > 0 ? std::uint64_t(weight * one_ * other_) : 0; }

 private:
  double one_, other_;  // factors, whose product may be larger than a number can be
};

class Starter {
 public:
  Starter(const apps::Team& team, const Points& points, const Extent& extent, std::uint64_t seed)
      : team_(team),
        points_(points),
        extent_(extent),
        seed_(seed),
        half_squares_(half_squares(points)),
        squared_(points.size(), std::numeric_limits<double>::infinity()),
        nearest_(points),
        weights_(4 * extent.largest * extent.largest * double(points.dims()), extent.points) {}

  Result<Centroids> random(std::size_t clusters);
  Result<Centroids> plusplus(std::size_t clusters, apps::Progress& progress);
  Result<Centroids> oversampled(std::size_t clusters, apps::Progress& progress);

 private:
  // The points of these numbers, in this order.
  Result<Centroids> gather(const std::vector<std::uint64_t>& numbers) const;
  // Takes note of centroids that have come; their numbers begin with `first`.
  void come_nearer(const Centroids& some, std::size_t first);
  // The sum of the weights of all ranks, and of those before this one.
  Status weigh(std::uint64_t& all, std::uint64_t& before) const;
  Status draw_candidates(std::uint64_t round, double expected, Centroids& candidates);
  Result<std::vector<std::uint64_t>> points_of_candidates(std::size_t candidates) const;

  std::uint64_t weight(std::size_t i) const { return weights_(squared_[i]); }

  const apps::Team& team_;
  const Points& points_;
  const Extent& extent_;
  std::uint64_t seed_;
  std::vector<double> half_squares_, squared_;  // of lengths; of distances to the nearest that has been chosen
  std::vector<std::int32_t> chosen_;            // which that is
  Nearest nearest_;
  WholeWeights weights_;
};

Result<Centroids> Starter::gather(const std::vector<std::uint64_t>& numbers) const {
  // Those of other ranks are 0 here, so that a sum of bits is the point.
  const std::size_t dims = points_.dims();
  Centroids own(numbers.size(), dims), all(numbers.size(), dims);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] >= extent_.first && numbers[i] - extent_.first < points_.size())
      points_.copy(numbers[i] - extent_.first, own[i]);
  const Result<polder::ReductionSpec> spec =
      polder::reduction(polder::Reduction::sum, polder::DataType::float64, numbers.size() * dims);
  Status status = spec.status();
  if (status.ok())
    status = polder::allreduce(team_.group(), *spec, own.values().data(), all.values().data(), team_.patience());
  if (!status.ok()) return team_.named("the gathering of first centroids", status);
  return all;
}

Result<Centroids> Starter::random(std::size_t clusters) {
  std::vector<std::uint64_t> numbers;
  std::unordered_set<std::uint64_t> taken;
  for (std::uint64_t place = 0; numbers.size() < clusters; ++place) {
    const std::uint64_t number = drawn_below(seed_ ^ kRandomStream << 56, place, extent_.points);
    if (taken.insert(number).second) numbers.push_back(number);
  }
  return gather(numbers);
}

void Starter::come_nearer(const Centroids& some, std::size_t first) {
  chosen_.resize(points_.size());
  find_nearest(points_, some, nearest_);
  for (std::size_t i = 0; i < squared_.size(); ++i) {
    const double squared = std::max(0.0, 2 * (nearest_.score[i] + half_squares_[i]));
    if (squared >= squared_[i]) continue;
    squared_[i] = squared;
    chosen_[i] = std::int32_t(first) + nearest_.label[i];
  }
}

Status Starter::weigh(std::uint64_t& all, std::uint64_t& before) const {
  std::uint64_t own = 0;
  for (std::size_t i = 0; i < squared_.size(); ++i) own += weight(i);
  const Result<std::vector<std::uint64_t>> sums = team_.allgather(own);
  if (!sums.ok()) return sums.status();
  all = std::accumulate(sums->begin(), sums->end(), std::uint64_t{0});
  before = std::accumulate(sums->begin(), sums->begin() + team_.rank(), std::uint64_t{0});
  return {};
}

Result<Centroids> Starter::plusplus(std::size_t clusters, apps::Progress& progress) {
  progress.begin("first centroids", clusters);
  const std::uint64_t stream = seed_ ^ kPickStream << 56;
  Result<Centroids> centroids = gather({drawn_below(stream, 0, extent_.points)});
  if (!centroids.ok()) return centroids;
  Centroids last = *centroids;
  while (centroids->size() < clusters) {
    come_nearer(last, centroids->size() - 1);
    std::uint64_t all = 0, before = 0;
    Status status = weigh(all, before);
    if (!status.ok()) return status;
    // Where all points are chosen already, any of them.
    std::uint64_t mine = extent_.points;
    const std::uint64_t place = centroids->size();
    if (all == 0) {
      mine = drawn_below(stream, place, extent_.points);
    } else {
      const std::uint64_t drawn = drawn_below(stream, place, all);
      std::uint64_t sum = before;
      for (std::size_t i = 0; i < squared_.size() && sum <= drawn; ++i) {
        sum += weight(i);
        if (drawn >= before && sum > drawn) mine = extent_.first + i;
      }
    }
    const Result<std::uint64_t> number = team_.maximum(mine == extent_.points ? 0 : mine + 1);
    if (!number.ok()) return number.status();
    Result<Centroids> next = gather({*number - 1});
    if (!next.ok()) return next;
    last = *std::move(next);
    centroids->append(last[0]);
    progress.at(centroids->size());
  }
  return centroids;
}

// Each point by itself, with a probability that is in proportion to its weight.
Status Starter::draw_candidates(std::uint64_t round, double expected, Centroids& candidates) {
  std::uint64_t all = 0, before = 0;
  Status status = weigh(all, before);
  if (!status.ok() || all == 0) return status;
  std::vector<double> own;
  std::vector<double> coordinates(points_.dims());
  const std::uint64_t stream = seed_ ^ (kOversamplingStream << 56) ^ (round << 48);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (drawn_share(stream, extent_.first + i) >= expected * (double(weight(i)) / double(all))) continue;
    points_.copy(i, coordinates);
    own.insert(own.end(), coordinates.begin(), coordinates.end());
  }
  const Result<std::vector<double>> drawn = apps::gather_all<double>(team_, own);
  if (!drawn.ok()) return drawn.status();
  Centroids some(0, points_.dims());
  for (std::size_t at = 0; at < drawn->size(); at += points_.dims())
    some.append(std::span(*drawn).subspan(at, points_.dims()));
  if (some.size() == 0) return {};
  come_nearer(some, candidates.size());
  for (std::size_t i = 0; i < some.size(); ++i) candidates.append(some[i]);
  return {};
}

Result<std::vector<std::uint64_t>> Starter::points_of_candidates(std::size_t candidates) const {
  std::vector<std::uint64_t> own(candidates), all(candidates);
  for (const std::int32_t candidate : chosen_) ++own[std::size_t(candidate)];
  const Result<polder::ReductionSpec> spec =
      polder::reduction(polder::Reduction::sum, polder::DataType::uint64, candidates);
  Status status = spec.status();
  if (status.ok()) status = polder::allreduce(team_.group(), *spec, own.data(), all.data(), team_.patience());
  if (!status.ok()) return team_.named("the count of candidates' points", status);
  return all;
}

// k-means++ among few points that stand for `weights` points each; every rank does it for itself.
Centroids choose_among(const Centroids& candidates, const std::vector<std::uint64_t>& weights, std::size_t clusters,
                       std::uint64_t seed) {
  std::vector<double> squared(candidates.size(), 1.0);  // the first one is drawn by weights alone
  Centroids chosen(0, candidates.dims());
  while (chosen.size() < clusters) {
    double all = 0;
    for (std::size_t i = 0; i < squared.size(); ++i) all += squared[i] * double(weights[i]);
    double left = drawn_share(seed, chosen.size()) * all;
    std::size_t next = 0;
    while (next + 1 < squared.size() && (left -= squared[next] * double(weights[next])) >= 0) ++next;
    const bool first = chosen.size() == 0;
    chosen.append(candidates[next]);
    for (std::size_t i = 0; i < squared.size(); ++i) {
      double sum = 0;
      for (std::size_t dim = 0; dim < candidates.dims(); ++dim) {
        const double difference = candidates[i][dim] - candidates[next][dim];
        sum += difference * difference;
      }
      squared[i] = first ? sum : std::min(squared[i], sum);
    }
  }
  return chosen;
}

Result<Centroids> Starter::oversampled(std::size_t clusters, apps::Progress& progress) {
  progress.begin("first centroids", kRounds);
  Result<Centroids> candidates = gather({drawn_below(seed_ ^ kPickStream << 56, 0, extent_.points)});
  if (!candidates.ok()) return candidates;
  come_nearer(*candidates, 0);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    Status status = draw_candidates(round, double(kOversampling * clusters), *candidates);
    if (!status.ok()) return status;
    progress.at(round + 1);
  }
  const Result<std::vector<std::uint64_t>> weights = points_of_candidates(candidates->size());
  if (!weights.ok()) return weights.status();
  return choose_among(*candidates, *weights, clusters, seed_ ^ kChoiceStream << 56);
}

}  // namespace

Result<Centroids> choose_start(const apps::Team& team, const Points& points, const Extent& extent, Start start,
                               std::size_t clusters, std::uint64_t seed, apps::Progress& progress) {
  Starter starter(team, points, extent, seed);
  switch (start) {
    case Start::random: return starter.random(clusters);
    case Start::plusplus: return starter.plusplus(clusters, progress);
    case Start::oversampled: break;
  }
  return starter.oversampled(clusters, progress);
}

}  // namespace kmeans
