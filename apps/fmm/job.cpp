#include "job.hpp"

#include "common/available_memory.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "memory.hpp"
#include "order.hpp"
#include "result_file.hpp"

#include <cmath>
#include <cstdio>
#include <memory>

namespace fmm {
namespace {

class Job {
 public:
  Job(const Team& team, const Options& options) : team_(team), options_(options) {}

  Result<JobReport> run() {
    Status status = team_.agree(check_options());
    if (status.ok()) status = load();
    if (status.ok()) status = look_at_charges();
    if (status.ok()) status = choose_settings();
    if (status.ok()) status = check_memory();
    for (std::uint64_t step = 0; step < options_.steps && status.ok(); ++step) status = do_step(step);
    if (status.ok() && !options_.output.empty()) status = write();
    if (!status.ok()) return status;
    return report_;
  }

 private:
  Status check_options();
  Status load();
  Status look_at_charges();
  Status choose_settings();
  Status check_memory();
  Status do_step(std::uint64_t step);
  Status evaluate(bool check);
  Status check_results() const;
  bool raise_order();
  Status move();
  Status write();
  std::span<const Particle> current() const;
  void say(const std::string& text) const;

  const Team& team_;
  const Options& options_;
  std::vector<Particle> loaded_;
  std::uint64_t total_ = 0;
  bool mixed_ = false;
  SolverSettings settings_;
  std::unique_ptr<Solver> solver_;
  JobReport report_;
};

// To the person who started the job: rank 0 speaks.
void Job::say(const std::string& text) const {
  if (team_.rank() == 0 && !options_.quiet) std::fprintf(stderr, "fmm: %s\n", text.c_str());
}

Status Job::check_options() {
  settings_.kernels = find_kernels(options_.kernels.c_str());
  if (settings_.kernels == nullptr) {
    return {Code::invalid_argument, "there are no '" + options_.kernels +
                                        "' kernels for this processor; without --kernels the best are chosen"};
  }
  Status status;
  if (!options_.output.empty()) status = apps::check_output(options_.output);
  if (status.ok() && !options_.json.empty() && team_.rank() == 0) status = apps::check_output(options_.json);
  return status;
}

Status Job::load() {
  report_.source = options_.input;
  if (options_.input.empty()) {
    report_.source = options_.recipe.shape == Shape::cube ? "cube" : "plummer";
    total_ = options_.recipe.total;
    // Made after the check of memory.
    return {};
  }
  Result<std::vector<Particle>> particles = read_particles(team_, options_.input, options_.input_format);
  if (!particles.ok()) return std::move(particles).status();
  loaded_ = std::move(*particles);
  double count = double(loaded_.size());
  Status status = team_.sum({&count, 1});
  if (!status.ok()) return status;
  total_ = std::uint64_t(count);
  if (total_ > 0) return {};
  return team_.agree(Status(Code::invalid_argument, "'" + options_.input + "' has no particles"));
}

Status Job::look_at_charges() {
  if (options_.input.empty()) {
    mixed_ = options_.recipe.charges == Charges::mixed;
    return {};
  }
  std::array<double, 2> sums{};
  for (const Particle& particle : loaded_) {
    sums[0] += particle.charge;
    sums[1] += std::abs(particle.charge);
  }
  Status status = team_.sum(sums);
  if (!status.ok()) return status;
  mixed_ = std::abs(sums[0]) < 0.9 * sums[1];
  if (sums[1] == 0) say("all charges are 0: so are all potentials");
  return {};
}

Status Job::choose_settings() {
  settings_.order = options_.order > 0 ? options_.order : order_for(options_.accuracy, mixed_);
  settings_.leaf_size = options_.leaf_size > 0 ? options_.leaf_size : leaf_size_for(settings_.order);
  settings_.precision = single_precision_suffices(options_.accuracy) ? Precision::single : Precision::full;
  report_.kernels = settings_.kernels->name;
  report_.precision = settings_.precision == Precision::single ? "single precision" : "double precision";
  report_.particles = total_;
  report_.ranks = team_.size();
  report_.accuracy = options_.accuracy_requested ? options_.accuracy : 0;
  report_.leaf_size = settings_.leaf_size;
  return {};
}

Status Job::check_memory() {
  report_.memory_bound = memory_bound({total_, team_.size(), settings_.leaf_size, padded_terms(settings_.order)});
  const std::uint64_t needed = report_.memory_bound * team_.runtime().local_size();
  Result<std::uint64_t> available = options_.memory;
  if (options_.memory == 0) available = apps::available_memory();
  Status status = available.status();
  if (available.ok()) {
    say(std::to_string(total_) + " particles on " + std::to_string(team_.size()) + " ranks, order " +
        std::to_string(settings_.order) + "; memory bound " + apps::megabytes(report_.memory_bound) + " per rank, " +
        apps::megabytes(needed) + " on this node, which has " + apps::megabytes(*available));
    if (needed > *available) {
      status = Status(Code::out_of_memory, std::to_string(total_) + " particles need up to " + apps::megabytes(needed) +
                                               " on this node, and there are " + apps::megabytes(*available) +
                                               "; use more nodes, fewer particles or a coarser --accuracy");
    }
  }
  settings_.memory = available.value_or(0) / team_.runtime().local_size();
  status = team_.agree(status);
  if (status.ok() && options_.input.empty())
    loaded_ = generate(options_.recipe, share_of(total_, team_.rank(), team_.size()));
  return status;
}

std::span<const Particle> Job::current() const {
  if (solver_ && !solver_->particles().empty()) return solver_->particles();
  return loaded_;
}

Status Job::do_step(std::uint64_t step) {
  if (!solver_) solver_ = std::make_unique<Solver>(team_, settings_);
  Status status;
  if (step > 0 && options_.time_step > 0) status = team_.agree(move());
  if (!status.ok()) return status;
  const bool check = options_.samples > 0 && (step == 0 || step + 1 == options_.steps);
  status = evaluate(check);
  while (status.ok() && check && step == 0 && raise_order()) status = evaluate(check);
  return status;
}

Status Job::evaluate(bool check) {
  Status status = solver_->evaluate(current());
  if (!status.ok()) return status;
  std::vector<Particle>().swap(loaded_);
  status = team_.agree(check_results());
  if (!status.ok()) return status;
  Result<StepReport> report = collect(team_, solver_->numbers());
  if (!report.ok()) return std::move(report).status();
  report->order = settings_.order;
  if (check) {
    const Result<Accuracy> accuracy = check_sample(team_, *solver_, total_, options_.samples);
    if (!accuracy.ok()) return accuracy.status();
    report->accuracy = *accuracy;
  }
  report_.steps.push_back(*report);
  return {};
}

// Charges that are too large, or particles that are too near to each other.
Status Job::check_results() const {
  for (std::size_t body = 0; body < solver_->particles().size(); ++body) {
    const std::array<double, 3> field = solver_->field(body);
    const Particle& particle = solver_->particles()[solver_->particle_of(body)];
    const double q = particle.charge;
    // A factor of 0 leaves 0 unless a part is infinite or not a number.
    const double sum = 0 * solver_->potential(body) + 0 * (q * field[0]) + 0 * (q * field[1]) + 0 * (q * field[2]);
    if (sum == 0) continue;
    return {Code::limit, "what acts on particle " + std::to_string(particle.id) + " at " + text_of(particle.position) +
                             " is too large for a number: charges are too large, or particles too near to each other"};
  }
  return {};
}

// All ranks see the same error, so all decide alike.
bool Job::raise_order() {
  if (options_.order > 0) return false;
  const double error = report_.last().accuracy.larger();
  const unsigned order = higher_order(settings_.order, error, options_.accuracy);
  if (order == settings_.order) return false;
  char text[200];
  std::snprintf(text, sizeof text, "order %u gave an error of %.1e, more than the %.1e requested: once more with %u",
                settings_.order, error, options_.accuracy, order);
  say(text);
  settings_.order = order;
  loaded_.assign(solver_->particles().begin(), solver_->particles().end());
  solver_ = std::make_unique<Solver>(team_, settings_);
  return true;
}

// Charges are taken for masses: kick and drift, which conserves energy in the mean over many steps.
Status Job::move() {
  const double dt = options_.time_step;
  for (std::size_t body = 0; body < solver_->particles().size(); ++body) {
    Particle& particle = solver_->particles()[solver_->particle_of(body)];
    const std::array<double, 3> field = solver_->field(body);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      particle.velocity[axis] -= dt * field[axis];
      particle.position[axis] += dt * particle.velocity[axis];
    }
    if (!usable(particle.position)) {
      return {Code::limit, "particle " + std::to_string(particle.id) + " has left the numbers there are, for " +
                               text_of(particle.position) + "; use a smaller --time-step"};
    }
  }
  return {};
}

Status Job::write() {
  const Result<std::vector<Outcome>> outcomes = gather_outcomes(team_, *solver_, total_);
  if (!outcomes.ok()) return outcomes.status();
  return write_outcomes(team_, *outcomes, total_, {options_.output, options_.output_format});
}

}  // namespace

Result<JobReport> run_job(const Team& team, const Options& options) {
  return Job(team, options).run();
}

}  // namespace fmm
