#include "clustering.hpp"

#include "cluster_sums.hpp"
#include "far_points.hpp"
#include "nearest.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

namespace kmeans {
namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Lloyd {
 public:
  Lloyd(const apps::Team& team, const Points& points, const Extent& extent, State state)
      : team_(team),
        points_(points),
        extent_(extent),
        half_squares_(half_squares(points)),
        nearest_(points),
        labels_(points.size(), kNone),
        own_(state.centroids.size(), points.dims(), Units(extent.largest, extent.points)),
        all_(own_) {
    result_.state = std::move(state);
  }

  Status prepare();
  // One iteration; how far the centroid went that went furthest.
  Result<double> step();
  // Labels and inertia for the centroids as they are.
  Status finish();

  Clustering& result() { return result_; }

 private:
  static constexpr std::int32_t kNone = -1;

  void search();
  void assign();
  Status combine();
  Status relocate_empty();
  double move_centroids();

  const apps::Team& team_;
  const Points& points_;
  const Extent& extent_;
  std::vector<double> half_squares_;
  Nearest nearest_;
  std::vector<std::int32_t> labels_;
  ClusterSums own_, all_;  // of this rank's points and of all
  std::optional<polder::Collective> sum_;
  Clustering result_;
};

Status Lloyd::prepare() {
  Result<polder::ReductionSpec> spec =
      polder::reduction(polder::Reduction::sum, polder::DataType::int64, own_.numbers().size());
  if (!spec.ok()) return std::move(spec).status();
  Result<polder::Collective> sum =
      polder::Collective::allreduce(team_.group(), *spec, own_.numbers().data(), all_.numbers().data());
  if (!sum.ok()) return std::move(sum).status();
  sum_ = *std::move(sum);
  return {};
}

Result<double> Lloyd::step() {
  search();
  assign();
  Status status = combine();
  if (status.ok()) status = relocate_empty();
  if (!status.ok()) return status;
  return move_centroids();
}

void Lloyd::search() {
  const double start = seconds();
  find_nearest(points_, result_.state.centroids, nearest_);
  result_.searching += seconds() - start;
}

// Only points with a new cluster are taken from one sum and added to another: in most iterations few.
void Lloyd::assign() {
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const std::int32_t label = nearest_.label[i];
    if (label == labels_[i]) continue;
    if (labels_[i] != kNone) own_.take(std::size_t(labels_[i]), points_, i);
    own_.add(std::size_t(label), points_, i);
    labels_[i] = label;
  }
}

Status Lloyd::combine() {
  const double start = seconds();
  Status status = team_.named("the sum of clusters", sum_->run(team_.patience()));
  result_.combining += seconds() - start;
  return status;
}

// A cluster without points gets one that is as far from its centroid as few others: the farthest of all to the first such
// cluster, and so on.
Status Lloyd::relocate_empty() {
  std::vector<std::size_t> empty;
  for (std::size_t c = 0; c < all_.clusters(); ++c)
    if (all_.count(c) == 0) empty.push_back(c);
  if (empty.empty()) return {};
  const auto distance = [&](std::size_t i) { return nearest_.score[i] + half_squares_[i]; };
  Result<std::vector<FarPoint>> far = farthest_points(team_, points_, extent_.first, labels_, empty.size(), distance);
  if (!far.ok()) return std::move(far).status();
  std::size_t next = 0;
  for (const FarPoint& point : *far) {
    if (next == empty.size()) break;
    if (all_.count(std::size_t(point.label)) < 2) continue;  // its cluster would be empty then
    all_.take(std::size_t(point.label), point.coordinates);
    all_.add(empty[next], point.coordinates);
    if (point.number >= extent_.first && point.number - extent_.first < labels_.size()) {
      own_.take(std::size_t(point.label), point.coordinates);
      own_.add(empty[next], point.coordinates);
      labels_[point.number - extent_.first] = std::int32_t(empty[next]);
    }
    ++next;
  }
  result_.relocated += next;
  return {};
}

double Lloyd::move_centroids() {
  double furthest = 0;
  std::vector<double> mean(points_.dims());
  for (std::size_t c = 0; c < all_.clusters(); ++c) {
    if (all_.count(c) == 0) continue;
    all_.mean(c, mean);
    const std::span<double> centroid = result_.state.centroids[c];
    double square = 0;
    for (std::size_t dim = 0; dim < mean.size(); ++dim)
      square += (mean[dim] - centroid[dim]) * (mean[dim] - centroid[dim]);
    furthest = std::max(furthest, square);
    std::ranges::copy(mean, centroid.begin());
  }
  return std::sqrt(furthest);
}

Status Lloyd::finish() {
  search();
  // No summand is larger than the square of the longest diagonal.
  const Units units(4 * extent_.largest * extent_.largest * double(points_.dims()), extent_.points);
  Parts sum;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    labels_[i] = nearest_.label[i];
    double square = 0;
    const std::span<const double> centroid = std::as_const(result_.state.centroids)[std::size_t(labels_[i])];
    for (std::size_t dim = 0; dim < centroid.size(); ++dim) {
      const double difference = points_.at(i, dim) - centroid[dim];
      square += difference * difference;
    }
    const Parts parts = units.parts(square);
    sum.high += parts.high;
    sum.low += parts.low;
  }
  std::int64_t own[2] = {sum.high, sum.low}, all[2] = {};
  const Result<polder::ReductionSpec> spec = polder::reduction(polder::Reduction::sum, polder::DataType::int64, 2);
  Status status = spec.status();
  if (status.ok()) status = polder::allreduce(team_.group(), *spec, own, all, team_.patience());
  result_.inertia = units.number({all[0], all[1]});
  result_.labels = std::move(labels_);
  return team_.named("the sum of distances", status);
}

}  // namespace

Result<Clustering> cluster(const apps::Team& team, const Points& points, const Extent& extent, State state,
                           const Stop& stop, const AfterIteration& after, apps::Progress& progress) {
  Lloyd lloyd(team, points, extent, std::move(state));
  Status status = lloyd.prepare();
  if (!status.ok()) return status;
  progress.begin("iterations", stop.iterations);
  State& now = lloyd.result().state;
  while (now.iterations < stop.iterations && !now.converged) {
    const Result<double> moved = lloyd.step();
    if (!moved.ok()) return moved.status();
    ++now.iterations;
    now.converged = *moved <= stop.tolerance;
    if (after) after(now);
    progress.at(now.iterations);
  }
  progress.clear();
  status = lloyd.finish();
  if (!status.ok()) return status;
  return std::move(lloyd.result());
}

}  // namespace kmeans
