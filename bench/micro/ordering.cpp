// What order costs, after figure 7 of the OSPRI paper: a small put or accumulate, then a get, until the get is here. A
// strict get waits for what touches the same bytes, unless the device keeps puts in order by itself; a partial one
// never does. On memory that is loaded and stored all are the same, so the same measurement is also taken over a
// simulated network, where an operation takes 50 us each way.
#include "micro/measurements.hpp"
#include "micro/shared_segment.hpp"

#include <polder/simulate.hpp>

#include <iterator>
#include <string>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t kSmall = 8;  // bytes of the put or accumulate
const std::vector<std::size_t> kSizes = {8, 64, 512, 4 << 10, 16 << 10};

struct Kind {
  const char* name;
  polder::Ordering ordering;
  bool accumulates = false;  // instead of putting
  bool elsewhere = false;    // the get touches other bytes
};

constexpr Kind kKinds[] = {{"get_partial", polder::Ordering::partial},
                           {"get_strict", polder::Ordering::strict},
                           {"get_strict_elsewhere", polder::Ordering::strict, false, true},
                           {"get_partial_accumulated", polder::Ordering::partial, true},
                           {"get_strict_accumulated", polder::Ordering::strict, true}};
constexpr int kMoreRepetitions = 3;  // differences of a few percent count here

// What is done again and again by rank 0.
class Pair {
 public:
  Pair(PolderWorld& world, const Kind& kind, const SharedSegment& segment, std::vector<std::byte>& buffer)
      : world_(&world), kind_(&kind), segment_(&segment), buffer_(&buffer) {}

  void operator()(std::uint64_t iterations) const {
    if (world_->rank() != 0) return;
    for (std::uint64_t i = 0; i < iterations; ++i) once();
    world_->must("fence", world_->runtime().fence_all(kPatience));
  }

 private:
  void once() const {
    polder::Runtime& rt = world_->runtime();
    const std::uint64_t word = 1;
    polder::Post post(kPatience);
    post.ordering = kind_->ordering;
    if (kind_->accumulates)
      world_->must("accumulate", rt.accumulate({.op = polder::Reduction::sum, .type = polder::DataType::uint64}, &word,
                                               segment_->at(1), kSmall, post));
    else
      world_->must("put", rt.put(&word, segment_->at(1), kSmall, post));
    post.until = polder::Until::local;
    const std::uint64_t place = kind_->elsewhere ? buffer_->size() + 64 : 0;
    world_->must("get", rt.get(buffer_->data(), segment_->at(1, place), buffer_->size(), post));
  }

  PolderWorld* world_;
  const Kind* kind_;
  const SharedSegment* segment_;
  std::vector<std::byte>* buffer_;
};

void measure_kinds(PolderWorld& world, const Arguments& arguments, const std::string& prefix) {
  Plan plan = arguments.plan;
  if (!arguments.quick) plan.repetitions *= kMoreRepetitions;
  for (const std::size_t size : arguments.sizes_or(kSizes)) {
    SharedSegment segment(world, 2 * size + 64);
    std::vector<std::byte> buffer(size);
    std::vector<Pair> pairs;
    for (const Kind& kind : kKinds) pairs.emplace_back(world, kind, segment, buffer);
    const auto samples = sample_each_in_turn(world, plan, pairs);
    for (std::size_t i = 0; world.rank() == 0 && i < std::size(kKinds); ++i)
      report({.name = prefix + kKinds[i].name, .ranks = world.size(), .size = size, .samples = samples[i]});
  }
}

}  // namespace

void measure_ordering(PolderWorld& world, const Arguments& arguments) {
  measure_kinds(world, arguments, "");
  if (world.rank() == 0) {
    polder::SimulationOptions network{.device = polder::SimulatedDevice::network};
    network.min_delay_ns = network.max_delay_ns = 50'000;
    polder::Simulation job(2, network);
    world.must("simulate", job.run([&](polder::Runtime& rt) {
      PolderWorld simulated(rt);
      measure_kinds(simulated, arguments, "sim_");
    }));
  }
  world.barrier();
}

}  // namespace bench
