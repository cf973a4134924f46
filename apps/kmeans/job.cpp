#include "job.hpp"

#include "common/available_memory.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "nearest.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace kmeans {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr const char* kStartNames[] = {"random", "k-means++", "k-means||"};

class Job {
 public:
  Job(polder::Runtime& runtime, const Options& options)
      : runtime_(runtime), options_(options), survivors_(runtime, options.spares, options.patience) {}

  Result<Report> run(bool& speaks);

 private:
  Status work(const apps::Team& team);
  Status open();
  Status check_memory(const apps::Team& team);
  Status read(const apps::Team& team);
  Status find_state(const apps::Team& team);
  Status first_centroids(const apps::Team& team);
  Result<Centroids> given_centroids() const;
  Status iterate(const apps::Team& team);
  Status write(const apps::Team& team);
  Status add_up(const apps::Team& team);

  polder::Runtime& runtime_;
  const Options& options_;
  apps::Survivors survivors_;
  std::optional<PointSource> source_;
  Points points_;
  Extent extent_;
  State state_;  // what survives: any rank that works has it
  Clustering result_;
  Report report_;
};

Result<Report> Job::run(bool& speaks) {
  const Clock::time_point start = Clock::now();
  Status status = survivors_.run([this](const apps::Team& team) { return work(team); });
  speaks = survivors_.is_first();
  if (!status.ok()) return status;
  report_.recoveries = survivors_.recoveries();
  report_.seconds = seconds_since(start);
  return report_;
}

Status Job::work(const apps::Team& team) {
  Status status = team.agree(source_ ? Status() : open());
  if (status.ok()) status = check_memory(team);
  if (status.ok()) status = read(team);
  if (status.ok()) status = find_state(team);
  if (status.ok() && state_.centroids.size() == 0) status = first_centroids(team);
  if (status.ok()) status = iterate(team);
  if (status.ok()) status = write(team);
  return status.ok() ? add_up(team) : status;
}

Status Job::open() {
  Result<PointSource> source = PointSource::open(options_.source);
  if (!source.ok()) return std::move(source).status();
  if (source->size_at_most() < options_.clusters)
    return {Code::invalid_argument, std::to_string(options_.clusters) + " clusters are more than the " +
                                        std::to_string(source->size_at_most()) + " points"};
  source_ = *std::move(source);
  for (const std::string* path : {&options_.centroids, &options_.labels, &options_.json})
    if (Status status = path->empty() ? Status() : apps::check_output(*path); !status.ok()) return status;
  return {};
}

Status Job::check_memory(const apps::Team& team) {
  constexpr std::uint64_t kSlack = 16 << 20, kBeside = 48;  // the runtime; bytes beside the coordinates of a point
  const std::uint64_t points = source_->size_at_most() / team.size() + 1;
  const std::uint64_t tables = options_.clusters * (6 * source_->dims() + 4) * sizeof(double);
  report_.memory = Points::bytes_for(points, source_->dims()) + points * kBeside + tables + kSlack;
  const unsigned neighbours = team.runtime().local_size();
  const Result<std::uint64_t> available = apps::available_memory();
  if (!available.ok()) return team.agree(available.status());
  const std::uint64_t needed = report_.memory * neighbours;
  if (team.rank() == 0 && options_.progress && survivors_.recoveries().empty())
    std::fprintf(stderr, "kmeans: up to %s a rank, %s on this node, which has %s\n",
                 apps::megabytes(report_.memory).c_str(), apps::megabytes(needed).c_str(),
                 apps::megabytes(*available).c_str());
  // What this rank has read already is not available any more, and needed all the same.
  if (!survivors_.recoveries().empty() || needed <= *available) return team.agree({});
  return team.agree({Code::out_of_memory, "up to " + apps::megabytes(needed) +
                                              " are needed on this node, and there are " + apps::megabytes(*available) +
                                              "; use more nodes"});
}

Status Job::read(const apps::Team& team) {
  const Clock::time_point start = Clock::now();
  Result<Points> points = source_->read(team.rank(), team.size());
  Status status = team.agree(points.status());
  if (!status.ok()) return status;
  points_ = *std::move(points);
  extent_ = {};
  const Result<std::vector<std::uint64_t>> sizes = team.allgather(std::uint64_t(points_.size()));
  if (!sizes.ok()) return sizes.status();
  for (unsigned rank = 0; rank < team.size(); ++rank) {
    extent_.first += rank < team.rank() ? (*sizes)[rank] : 0;
    extent_.points += (*sizes)[rank];
  }
  double largest = 0;
  for (std::size_t tile = 0; tile < points_.tiles(); ++tile)
    for (std::size_t i = 0; i < kTile * points_.dims(); ++i)
      largest = std::max(largest, std::abs(points_.tile(tile)[i]));
  // Of numbers that are not negative, the larger one has the larger bits.
  const Result<std::uint64_t> all = team.maximum(std::bit_cast<std::uint64_t>(largest));
  if (!all.ok()) return all.status();
  extent_.largest = std::bit_cast<double>(*all);
  report_.reading = seconds_since(start);
  if (extent_.points >= options_.clusters) return {};
  return team.agree({Code::invalid_argument, std::to_string(options_.clusters) + " clusters are more than the " +
                                                 std::to_string(extent_.points) + " points"});
}

// The state after the most iterations that a member of this team has; none, if nobody has any.
Status Job::find_state(const apps::Team& team) {
  const std::uint64_t mine = state_.centroids.size() == 0 ? 0 : 2 * state_.iterations + state_.converged + 1;
  const Result<std::vector<std::uint64_t>> all = team.allgather(mine);
  if (!all.ok()) return all.status();
  const auto newest = std::ranges::max_element(*all);
  const std::uint64_t iterations = *newest == 0 ? 0 : (*newest - 1) / 2;
  report_.resumed_at.resize(survivors_.recoveries().size(), iterations);
  if (*newest == 0) return {};
  if (state_.centroids.size() == 0) state_.centroids = Centroids(options_.clusters, source_->dims());
  state_.iterations = iterations;
  state_.converged = (*newest - 1) % 2 != 0;
  const std::span<double> values = state_.centroids.values();
  return team.named("the centroids of another rank",
                    polder::broadcast(team.group(), polder::Rank(newest - all->begin()), values.data(),
                                      values.size_bytes(), team.patience()));
}

Status Job::first_centroids(const apps::Team& team) {
  const Clock::time_point start = Clock::now();
  apps::Progress progress(options_.progress && team.rank() == 0);
  Result<Centroids> centroids = options_.from.empty() ? choose_start(team, points_, extent_, options_.start,
                                                                     options_.clusters, options_.seed, progress)
                                                      : given_centroids();
  progress.clear();
  Status status = options_.from.empty() ? centroids.status() : team.agree(centroids.status());
  if (!status.ok()) return status;
  state_ = {.centroids = *std::move(centroids)};
  report_.starting = seconds_since(start);
  return {};
}

Result<Centroids> Job::given_centroids() const {
  SourceOptions as_file;
  as_file.path = options_.from;
  as_file.layout = Layout::npy;
  const Result<PointSource> source = PointSource::open(as_file);
  if (!source.ok()) return source.status();
  if (source->size_at_most() != options_.clusters || source->dims() != source_->dims()) {
    const auto shape = [](std::uint64_t rows, std::uint64_t dims) { return apps::text_of({rows, dims}); };
    return Status(Code::invalid_argument, "'" + options_.from + "' has the shape " +
                                              shape(source->size_at_most(), source->dims()) + ", and wanted is " +
                                              shape(options_.clusters, source_->dims()));
  }
  const Result<Points> rows = source->read(0, 1);
  if (!rows.ok()) return rows.status();
  Centroids centroids(options_.clusters, source_->dims());
  for (std::size_t i = 0; i < centroids.size(); ++i) rows->copy(i, centroids[i]);
  return centroids;
}

Status Job::iterate(const apps::Team& team) {
  const Clock::time_point start = Clock::now();
  apps::Progress progress(options_.progress && team.rank() == 0);
  const auto note = [this](const State& state) {
    state_ = state;
    if (options_.at_iteration) options_.at_iteration(state.iterations);
  };
  Result<Clustering> result = cluster(team, points_, extent_, state_, options_.stop, note, progress);
  if (!result.ok()) return std::move(result).status();
  result_ = *std::move(result);
  report_.iterating = seconds_since(start);
  return {};
}

Status Job::write(const apps::Team& team) {
  const Clock::time_point start = Clock::now();
  const apps::Crew crew = crew_of(team);
  Status status;
  const auto write_one = [&](const std::string& path, apps::Number number, const apps::Shape& shape,
                             std::uint64_t offset, std::span<const std::byte> mine) -> Status {
    if (path.empty()) return {};
    const std::string head = apps::npy_head(number, shape);
    const std::uint64_t bytes = head.size() + *apps::elements_of(shape) * apps::bytes_of(number);
    Result<apps::OutputFile> output = apps::OutputFile::create(crew, path, bytes);
    if (!output.ok()) return std::move(output).status();
    Status written;
    if (team.rank() == 0) written = output->file().write_at(0, std::as_bytes(std::span(head)));
    if (written.ok()) written = output->file().write_at(head.size() + offset, mine);
    return output->commit(crew, written);
  };
  status = write_one(options_.labels, apps::Number::int32, {extent_.points}, extent_.first * sizeof(std::int32_t),
                     std::as_bytes(std::span(result_.labels)));
  const std::span<const double> centroids = std::as_const(state_.centroids).values();
  if (status.ok())
    status = write_one(options_.centroids, apps::Number::float64, {state_.centroids.size(), state_.centroids.dims()}, 0,
                       std::as_bytes(team.rank() == 0 ? centroids : centroids.first(0)));
  report_.writing = seconds_since(start);
  return status;
}

Status Job::add_up(const apps::Team& team) {
  std::array<double, 2> sums{result_.searching, result_.combining};
  Status status = team.sum(sums);
  report_.source = options_.source.path.empty() ? "generated" : options_.source.path;
  report_.start = options_.from.empty() ? kStartNames[std::size_t(options_.start)] : options_.from;
  report_.vectors = vectors_name();
  report_.points = extent_.points;
  report_.dims = points_.dims();
  report_.clusters = options_.clusters;
  report_.ranks = team.size();
  report_.iterations = state_.iterations;
  report_.relocated = result_.relocated;
  report_.converged = state_.converged;
  report_.inertia = result_.inertia;
  report_.searching = sums[0] / team.size();
  report_.combining = sums[1] / team.size();
  return status;
}

}  // namespace

Result<Report> run_job(polder::Runtime& runtime, const Options& options, bool& speaks) {
  return Job(runtime, options).run(speaks);
}

}  // namespace kmeans
