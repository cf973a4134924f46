// Halo exchange: a field on a torus, cut into stripes of rows, one for each rank. In each step every cell becomes the
// mean of its four neighbours, so a rank needs the rows just above and below its stripe. Their owners put them there,
// with a flag; nobody asks, and no step needs a barrier.
//
// The field begins as a wave, which such steps only damp, by a factor that is known: that is what the result is
// compared with.
#include "check.hpp"

#include <polder/collective.hpp>
#include <polder/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

using namespace std::chrono_literals;

constexpr std::size_t kRows = 32, kColumns = 128;  // of one rank
constexpr unsigned kSteps = 100;
constexpr polder::SegmentId kField = 0;
constexpr polder::Timeout kPatience = 30s;

// Twice a stripe between two halo rows: a step reads one and writes the other. Neighbours write into the halo of the
// one that is read; they are never more than one step ahead, because they wait for this rank's rows, too.
using Row = double[kColumns];
constexpr std::size_t kHaloAbove = 0, kFirst = 1, kLast = kRows, kHaloBelow = kRows + 1;
using Stripe = Row[kRows + 2];

constexpr std::size_t row_offset(unsigned stripe, std::size_t row) {
  return stripe * sizeof(Stripe) + row * sizeof(Row);
}

// A flag for each halo row of both stripes.
constexpr polder::NotificationId flag_of(unsigned stripe, std::size_t halo) {
  return 2 * stripe + (halo == kHaloAbove ? 0 : 1);
}

class Torus {
 public:
  explicit Torus(polder::Runtime& rt)
      : rt_(rt), field_(take(rt.create_segment({.size = 2 * sizeof(Stripe), .id = kField}, rt.world(), kPatience))) {
    for (std::size_t row = kFirst; row <= kLast; ++row)
      for (std::size_t column = 0; column < kColumns; ++column) stripe(0)[row][column] = wave(row, column);
  }

  void step() {
    const unsigned now = step_ % 2;
    send(now, kFirst, above(), kHaloBelow);
    send(now, kLast, below(), kHaloAbove);
    for (std::size_t row = kFirst + 1; row < kLast; ++row) compute(now, row);  // while the halos travel
    receive(now, kHaloAbove);
    compute(now, kFirst);
    receive(now, kHaloBelow);
    compute(now, kLast);
    check(rt_.queue().wait(polder::Completion::local, kPatience));  // the next step overwrites what was sent
    ++step_;
  }

  // How far this rank's stripe is from the damped wave.
  double error() {
    const double damped = std::pow((std::cos(row_angle()) + std::cos(kColumnAngle)) / 2, step_);
    double worst = 0;
    for (std::size_t row = kFirst; row <= kLast; ++row)
      for (std::size_t column = 0; column < kColumns; ++column)
        worst = std::max(worst, std::abs(stripe(step_ % 2)[row][column] - damped * wave(row, column)));
    return worst;
  }

 private:
  static constexpr double kColumnAngle = 2 * std::numbers::pi / kColumns;
  double row_angle() const { return 2 * std::numbers::pi / double(kRows * rt_.size()); }
  double wave(std::size_t row, std::size_t column) const {
    return std::sin(row_angle() * double(rt_.rank() * kRows + row) + kColumnAngle * double(column));
  }

  polder::Rank above() const { return (rt_.rank() + rt_.size() - 1) % rt_.size(); }
  polder::Rank below() const { return (rt_.rank() + 1) % rt_.size(); }
  Stripe& stripe(unsigned which) { return field_.as<Stripe>()[which]; }

  void send(unsigned now, std::size_t row, polder::Rank to, std::size_t halo) {
    check(rt_.put_notify(stripe(now)[row], {.rank = to, .segment = kField, .offset = row_offset(now, halo)},
                         sizeof(Row), {.id = flag_of(now, halo)}, kPatience));
  }

  void receive(unsigned now, std::size_t halo) {
    take(rt_.wait_some(kField, flag_of(now, halo), 1, kPatience));
    take(rt_.reset(kField, flag_of(now, halo)));
  }

  void compute(unsigned now, std::size_t row) {
    const Stripe& from = stripe(now);
    Row& to = stripe(1 - now)[row];
    for (std::size_t column = 0; column < kColumns; ++column) {
      const std::size_t left = (column + kColumns - 1) % kColumns, right = (column + 1) % kColumns;
      to[column] = (from[row - 1][column] + from[row + 1][column] + from[row][left] + from[row][right]) / 4;
    }
  }

  polder::Runtime& rt_;
  const polder::Segment field_;
  unsigned step_ = 0;
};

int main() {
  auto joined = take(polder::Runtime::create());
  polder::Runtime& rt = *joined;

  Torus torus(rt);
  check(rt.world().barrier(kPatience));
  for (unsigned step = 0; step < kSteps; ++step) torus.step();

  const double mine = torus.error();
  double worst = 0;
  check(polder::allreduce(rt.world(), polder::Reduction::max, polder::DataType::float64, &mine, &worst, 1, kPatience));
  if (rt.rank() == 0) std::printf("%u ranks, %u steps: off by %.1e at most\n", rt.size(), kSteps, worst);
  return worst < 1e-12 ? EXIT_SUCCESS : EXIT_FAILURE;
}
