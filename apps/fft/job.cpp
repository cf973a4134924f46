#include "job.hpp"

#include "common/available_memory.hpp"
#include "common/output_file.hpp"
#include "common/progress.hpp"
#include "common/text.hpp"
#include "field.hpp"
#include "group_exchange.hpp"
#include "result_file.hpp"
#include "sample_check.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace fft {
namespace {

using JobClock = std::chrono::steady_clock;

double job_seconds_since(JobClock::time_point start) {
  return std::chrono::duration<double>(JobClock::now() - start).count();
}

// With what lies between the lines: no rank has more than three times these.
std::optional<std::uint64_t> elements_with_gaps(const Extents& extents) {
  return elements_of({extents[0], extents[1], pitch_of(extents[2])});
}

class Job {
 public:
  Job(const apps::Team& team, const Options& options) : team_(team), options_(options) {}

  Result<Report> run() {
    Status status = team_.agree(look_at_field());
    if (status.ok()) status = check_memory();
    if (status.ok()) status = transform_it();
    if (!status.ok()) return status;
    return report_;
  }

 private:
  Status look_at_field();
  Result<Field> field() const;
  Status check_memory();
  Status transform_it();
  Status transform_repeatedly(Transform& transform);
  Status check_samples(const Complex* result);
  Status write(const apps::OutputFile& output, const Complex* result) const;
  Complex* elements() const { return reinterpret_cast<Complex*>(memory_.data()); }
  Status collect(const Times& times);

  const apps::Team& team_;
  Options options_;
  std::optional<Field> field_;
  Share share_;
  polder::LocalMemory memory_;  // of the field
  Report report_;
};

Result<Field> Job::field() const {
  if (options_.input.empty()) return Field::made_up(*options_.extents, options_.seed);
  if (!options_.extents) return Field::open(options_.input);
  return Field::open_raw(options_.input, *options_.extents);
}

Status Job::look_at_field() {
  if (auto planes = Planes::create({1, 1, 1}, false, Effort::estimate); !planes.ok()) return planes.status();
  auto found = field();
  if (!found.ok()) return found.status();
  field_ = *std::move(found);
  const Extents& extents = field_->extents();
  if (!elements_of(extents) || *elements_of(extents) == 0 || !elements_with_gaps(extents))
    return {Code::invalid_size, "a field of " + text_of(extents) + " has nothing in it, or more than there can be"};
  report_.grid = options_.grid ? *options_.grid : fitting_grid(options_.cut, extents, team_.size());
  if (std::uint64_t{report_.grid.rows} * report_.grid.columns != team_.size())
    return {Code::invalid_argument, "a grid of " + std::to_string(report_.grid.rows) + " x " +
                                        std::to_string(report_.grid.columns) + " for " + std::to_string(team_.size()) +
                                        " ranks"};
  share_ = Share(extents, report_.grid, team_.rank());
  report_.extents = extents;
  report_.inverse = options_.inverse;
  if (options_.tuning.pieces == 0) options_.tuning.pieces = fitting_pieces(extents, team_.size());
  report_.pieces = options_.tuning.pieces;
  options_.tuning.effort = options_.effort.value_or(options_.repeat > 1 ? Effort::measure : Effort::estimate);
  report_.lines = lines_by();
  return options_.output.empty() ? Status() : apps::check_output(options_.output);
}

Status Job::check_memory() {
  constexpr std::uint64_t kSlack = 16 << 20;  // the runtime, plans, a plane of the output
  const std::uint64_t own = share_.room_at_first() * sizeof(Complex) + Transform::memory(share_) + kSlack;
  const auto most = team_.maximum(own);
  if (!most.ok()) return most.status();
  report_.memory = *most;
  std::uint64_t needed = 0;
  if (__builtin_mul_overflow(*most, team_.runtime().local_size(), &needed)) needed = ~std::uint64_t{0};
  Result<std::uint64_t> available = options_.memory;
  if (options_.memory == 0) available = apps::available_memory();
  Status status = available.status();
  if (status.ok() && needed > *available)
    status = {Code::out_of_memory, "up to " + apps::megabytes(needed) + " are needed on this node, and there are " +
                                       apps::megabytes(*available) + "; use more nodes"};
  if (status.ok() && team_.rank() == 0 && options_.progress)
    std::fprintf(stderr, "fft: up to %s a rank, %s on this node, which has %s\n", apps::megabytes(*most).c_str(),
                 apps::megabytes(needed).c_str(), apps::megabytes(*available).c_str());
  return team_.agree(status);
}

Status Job::transform_it() {
  const apps::Crew crew = crew_of(team_);
  std::optional<apps::OutputFile> output;
  if (!options_.output.empty()) {
    const std::uint64_t bytes =
        head_of_result(options_.output, report_.extents).size() + *elements_of(report_.extents) * sizeof(Complex);
    auto created = apps::OutputFile::create(crew, options_.output, bytes);
    if (!created.ok()) return created.status();
    output.emplace(*std::move(created));
  }
  const auto row = GroupExchange::create(team_, share_.row, share_.column);
  if (!row.ok()) return row.status();
  const auto column = GroupExchange::create(team_, share_.column, share_.row);
  if (!column.ok()) return column.status();
  auto memory = team_.runtime().allocate_local(share_.room_at_first() * sizeof(Complex));
  Status status = team_.agree(memory.status());
  if (!status.ok()) return status;
  memory_ = *std::move(memory);
  auto transform = Transform::create(share_, elements(), **row, **column, options_.inverse, options_.tuning);
  status = team_.agree(transform.status());
  if (status.ok()) status = transform_repeatedly(*transform);
  if (status.ok()) status = check_samples(transform->result());
  if (status.ok() && output) {
    const JobClock::time_point writing = JobClock::now();
    status = output->commit(crew, write(*output, transform->result()));
    report_.writing = job_seconds_since(writing);
  }
  return status.ok() ? collect(transform->times()) : status;
}

Status Job::transform_repeatedly(Transform& transform) {
  apps::Progress progress(options_.progress && team_.rank() == 0);
  for (unsigned turn = 0; turn < options_.repeat; ++turn) {
    const JobClock::time_point reading = JobClock::now();
    Status status = team_.agree(field_->read(share_, elements()));
    if (!status.ok()) return status;
    if (turn == 0) report_.reading = job_seconds_since(reading);
    progress.begin("transform", transform.steps());
    const JobClock::time_point start = JobClock::now();
    status = transform.run([&](unsigned steps) { progress.at(steps); });
    double seconds = -job_seconds_since(start);
    progress.clear();
    status = team_.agree(status);
    if (status.ok()) status = team_.minimum({&seconds, 1});
    if (!status.ok()) return status;
    if (turn == 0 || -seconds < report_.seconds) report_.seconds = -seconds;
  }
  return {};
}

Status Job::check_samples(const Complex* result) {
  if (options_.samples == 0) return {};
  const std::uint64_t own = (options_.samples + team_.size() - 1) / team_.size();
  double worst = -sampled_error(*field_, share_, result, options_.inverse, own, options_.seed * 1000 + team_.rank());
  Status status = team_.minimum({&worst, 1});
  report_.samples = own * team_.size();
  report_.error = -worst;
  report_.bound = rounding_bound(report_.extents);
  return status;
}

Status Job::write(const apps::OutputFile& output, const Complex* result) const {
  const std::string head = head_of_result(options_.output, report_.extents);
  Status status;
  if (team_.rank() == 0 && !head.empty()) status = output.file().write_at(0, std::as_bytes(std::span(head)));
  return status.ok() ? write_result(output.file(), head.size(), share_, result) : status;
}

Status Job::collect(const Times& times) {
  std::array<double, 2> sums{times.computing, times.waiting};
  std::array<double, 2> most{-report_.reading, -report_.writing};
  Status status = team_.sum(sums);
  if (status.ok()) status = team_.minimum(most);
  report_.computing = sums[0] / team_.size();
  report_.waiting = sums[1] / team_.size();
  report_.reading = -most[0];
  report_.writing = -most[1];
  return status;
}

}  // namespace

Grid fitting_grid(Cut cut, const Extents& extents, unsigned ranks) {
  const bool slabs = ranks <= extents[0] && ranks <= extents[1];
  if (cut == Cut::slabs || (cut == Cut::fitting && slabs)) return {ranks, 1};
  auto columns = unsigned(std::sqrt(double(ranks)));
  while (ranks % columns != 0) --columns;
  return {ranks / columns, columns};
}

Result<Report> run_job(const apps::Team& team, const Options& options) {
  return Job(team, options).run();
}

}  // namespace fft
