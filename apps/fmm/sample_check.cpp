#include "sample_check.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace fmm {
namespace {

// Arrays of numbers for each sample, padded so that kernels may read them.
class Table {
 public:
  Table(std::size_t arrays, std::size_t samples) : stride_(samples + kPadding), values_(arrays * stride_) {}

  double* array(std::size_t i) { return values_.data() + i * stride_; }
  const double* array(std::size_t i) const { return values_.data() + i * stride_; }
  std::span<double> all() { return values_; }

 private:
  std::size_t stride_;
  std::vector<double> values_;
};

class SampleCheck {
 public:
  SampleCheck(const Team& team, const Solver& solver, std::uint64_t total, std::uint64_t samples)
      : team_(team),
        solver_(solver),
        total_(total),
        samples_(std::min(samples, total)),
        found_(7, samples_),
        sums_(4, samples_) {
    accuracy_.samples = samples_;
  }

  Result<Accuracy> run() {
    if (samples_ == 0) return accuracy_;
    find_samples();
    Status status = team_.sum(found_.all());
    if (status.ok()) status = sum_directly();
    if (!status.ok()) return status;
    const double potential = compare(0, 1, accuracy_.worst_potential);
    const double field = compare(1, 4, accuracy_.worst_field);
    accuracy_.potential = potential;
    accuracy_.field = field;
    return accuracy_;
  }

 private:
  // Sample s is particle number ceil(s * total / samples).
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t sample_of(std::uint64_t id) const {
    const auto sample = std::uint64_t(__extension__(unsigned __int128){id} * samples_ / total_);
    const auto first = [&](std::uint64_t s) {
      return std::uint64_t((__extension__(unsigned __int128){s} * total_ + samples_ - 1) / samples_);
    };
    return first(sample) == id ? sample : kNone;
  }

  // Places and results of the samples that are here; the others stay 0.
  void find_samples() {
    const Bodies bodies = solver_.decomposition().bodies();
    const double unit = solver_.decomposition().domain().unit();
    for (std::size_t body = 0; body < solver_.particles().size(); ++body) {
      const std::uint64_t sample = sample_of(solver_.particles()[solver_.particle_of(body)].id);
      if (sample == kNone) continue;
      found_.array(0)[sample] = bodies.x[body];
      found_.array(1)[sample] = bodies.y[body];
      found_.array(2)[sample] = bodies.z[body];
      found_.array(3)[sample] = solver_.potential(body) * unit;
      const std::array<double, 3> field = solver_.field(body);
      for (std::size_t axis = 0; axis < 3; ++axis) found_.array(4 + axis)[sample] = field[axis] * unit * unit;
    }
  }

  Status sum_directly() {
    const auto start = std::chrono::steady_clock::now();
    const Bodies targets{found_.array(0), found_.array(1), found_.array(2), nullptr};
    const Range all{0, std::uint32_t(solver_.particles().size())};
    solver_.expansions().kernels().direct(targets, {0, std::uint32_t(samples_)},
                                          {sums_.array(0), sums_.array(1), sums_.array(2), sums_.array(3)},
                                          solver_.decomposition().bodies(), &all, 1);
    const auto time = std::chrono::steady_clock::now() - start;
    const Result<std::uint64_t> longest =
        team_.maximum(std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()));
    if (!longest.ok()) return longest.status();
    accuracy_.seconds_per_target = double(*longest) * 1e-9 / double(samples_);
    return team_.sum(sums_.all());
  }

  // Of columns first .. end-1 as one vector.
  double compare(std::size_t first, std::size_t end, double& worst) const {
    double errors = 0, values = 0, largest = 0;
    for (std::uint64_t s = 0; s < samples_; ++s) {
      double error = 0;
      for (std::size_t column = first; column < end; ++column) {
        const double exact = sums_.array(column)[s], difference = found_.array(3 + column)[s] - exact;
        error += difference * difference;
        values += exact * exact;
      }
      errors += error;
      largest = std::max(largest, error);
    }
    if (!(values > 0)) return std::sqrt(errors);
    worst = std::sqrt(largest / (values / double(samples_)));
    return std::sqrt(errors / values);
  }

  const Team& team_;
  const Solver& solver_;
  std::uint64_t total_;
  std::uint64_t samples_;
  Table found_;  // x, y, z, potential, field
  Table sums_;   // potential, field
  Accuracy accuracy_;
};

}  // namespace

Result<Accuracy> check_sample(const Team& team, const Solver& solver, std::uint64_t total, std::uint64_t samples) {
  return SampleCheck(team, solver, total, samples).run();
}

}  // namespace fmm
