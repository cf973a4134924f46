// Eventually consistent collectives with a share of what the consistent ones ask for: figures 8 to 10 of Iakymchuk et al., "Efficient
// and eventually consistent collective operations", 2022. Time is that of the root.
#include "micro/measurements.hpp"

#include <polder/eventual.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {
namespace {

using polder::Eventual;
using polder::Threshold;

class Shares {
 public:
  Shares(PolderWorld& world, const Arguments& arguments, std::size_t bytes)
      : world_(world),
        arguments_(arguments),
        bytes_(bytes),
        send_(bytes / sizeof(double), 1.0),
        receive_(bytes / sizeof(double)),
        sum_(world.must("reduction",
                        polder::reduction(polder::Reduction::sum, polder::DataType::float64, send_.size()))),
        eventual_(world.must("eventual", Eventual::create(world.runtime().world(), {.bytes = bytes}, kPatience))) {}

  // All shares of one kind in turn: which of them is faster is the question.
  void measure() {
    for (const int percent : {25, 50, 75, 100}) {
      const double share = percent / 100.0;
      add("bcast_data" + std::to_string(percent), [this, share] {
        world_.must("broadcast", eventual_->broadcast(0, sum_, receive_.data(), {.data = share}, kPatience));
      });
      add("reduce_data" + std::to_string(percent), [this, share] { reduce({.data = share}); });
      add("reduce_members" + std::to_string(percent),
          [this, share] { reduce({.members = share, .leave_out = polder::LeaveOut::stages}); });
    }
    const auto samples = sample_each_in_turn(world_, arguments_.plan, bodies_);
    if (world_.rank() != 0) return;
    for (std::size_t i = 0; i < names_.size(); ++i)
      report({.name = names_[i], .ranks = world_.size(), .size = bytes_, .samples = samples[i]});
  }

 private:
  void reduce(const Threshold& enough) {
    world_.must("reduce", eventual_->reduce(0, sum_, send_.data(), receive_.data(), enough, kPatience));
  }

  void add(const std::string& name, std::function<void()> operation) {
    names_.push_back("eventual_" + name);
    bodies_.emplace_back([operation = std::move(operation)](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) operation();
    });
  }

  PolderWorld& world_;
  const Arguments& arguments_;
  const std::size_t bytes_;
  std::vector<double> send_, receive_;
  polder::ReductionSpec sum_;
  std::unique_ptr<Eventual> eventual_;
  std::vector<std::string> names_;
  std::vector<std::function<void(std::uint64_t)>> bodies_;
};

}  // namespace

void measure_eventual(PolderWorld& world, const Arguments& arguments) {
  for (const std::size_t bytes : arguments.sizes_or({80'000, 8'000'000})) {
    Shares(world, arguments, bytes).measure();
    world.barrier();
  }
}

}  // namespace bench
