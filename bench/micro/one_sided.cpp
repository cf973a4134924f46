#include "common/keep.hpp"
#include "micro/measurements.hpp"
#include "micro/shared_segment.hpp"

#include <cstring>
#include <vector>

namespace bench {
namespace {

// Rank 0 does `operation` again and again, then `finish`; rank 1 waits in the next barrier.
template <class Operation, class Finish>
void measure_alone(PolderWorld& world, const Arguments& arguments, const char* name, std::size_t size,
                   Operation operation, Finish finish) {
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    if (world.rank() != 0) return;
    for (std::uint64_t i = 0; i < iterations; ++i) operation();
    finish();
  });
  if (world.rank() == 0) report({.name = name, .ranks = world.size(), .size = size, .samples = samples});
}

// The operations between this rank's segment and that of rank 1.
struct Pair {
  Pair(PolderWorld& w, std::size_t bytes) : world(w), segment(w, bytes), size(bytes) {}
  void put() { world.must("put", world.runtime().put(segment.mine(), segment.at(1), size)); }
  void get() { world.must("get", world.runtime().get(segment.mine(), segment.at(1), size)); }
  void wait(polder::Completion completion) { world.must("wait", world.runtime().queue().wait(completion, kPatience)); }
  void put_and_wait() { put(), wait(polder::Completion::remote); }
  void copy_at_home() {
    std::memcpy(segment.mine() + size, segment.mine(), size);
    keep(segment.mine());
  }
  void get_and_wait() { get(), wait(polder::Completion::local); }

  PolderWorld& world;
  SharedSegment segment;
  std::size_t size;
};

const std::vector<std::size_t> kSmall = {8, 64, 512, 4 << 10, 64 << 10};
const std::vector<std::size_t> kLarge = {64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20};

}  // namespace

void measure_put(PolderWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or(kSmall)) {
    Pair pair(world, size);
    measure_alone(
        world, arguments, "put", size, [&] { pair.put(); }, [&] { pair.wait(polder::Completion::remote); });
    measure_alone(
        world, arguments, "put_flush", size, [&] { pair.put_and_wait(); }, [] {});
  }
}

void measure_get(PolderWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or(kSmall)) {
    Pair pair(world, size);
    measure_alone(
        world, arguments, "get", size, [&] { pair.get_and_wait(); }, [] {});
  }
}

void measure_bandwidth(PolderWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or(kLarge)) {
    Pair pair(world, 2 * size);
    pair.size = size;  // the second half is for the copy within this rank
    measure_alone(
        world, arguments, "put_bandwidth", size, [&] { pair.put_and_wait(); }, [] {});
    // The limit, by the same process between pages of the same kind and at the same time: a shared machine's memory is
    // now faster and now slower.
    measure_alone(
        world, arguments, "memcpy_beside", size, [&] { pair.copy_at_home(); }, [] {});
    measure_alone(
        world, arguments, "get_bandwidth", size, [&] { pair.get_and_wait(); }, [] {});
  }
}

}  // namespace bench
