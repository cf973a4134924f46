#include "common/alone.hpp"
#include "common/keep.hpp"
#include "micro/measurements.hpp"
#include "micro/shared_segment.hpp"

#include <array>
#include <cstring>
#include <vector>

namespace bench {
namespace {

struct Copy {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t size = 0;

  bool possible() const { return to != nullptr && from != nullptr; }
  void run() const {
    std::memcpy(to, from, size);
    keep(to);
  }
};

// The operations between this rank's segment and that of rank 1.
struct Pair {
  Pair(PolderWorld& w, std::size_t bytes) : world(w), segment(w, bytes), size(bytes) {}
  void put() { world.must("put", world.runtime().put(segment.mine(), segment.at(1), size)); }
  void get() { world.must("get", world.runtime().get(segment.mine(), segment.at(1), size)); }
  void wait(polder::Completion completion) { world.must("wait", world.runtime().queue().wait(completion, kPatience)); }
  void put_and_wait() { put(), wait(polder::Completion::remote); }
  void get_and_wait() { get(), wait(polder::Completion::local); }

  // What put and get do, where the pages of rank 1 can be reached.
  Copy there() { return {theirs(), segment.mine(), size}; }
  Copy back() { return {segment.mine(), theirs(), size}; }
  std::byte* theirs() { return world.must("direct_pointer", world.runtime().direct_pointer(segment.at(1))); }

  PolderWorld& world;
  SharedSegment segment;
  std::size_t size;
};

// `operation` and, in turn with it, what it comes down to: a memcpy between the same pages by the same process. Only
// `operation` where the peer's pages are out of reach.
template <class Operation>
void measure_beside_memcpy(PolderWorld& world, const Arguments& arguments, std::array<const char*, 2> names,
                           const Copy& copy, Operation operation) {
  const auto by_rank_0 = [&](auto what) {
    return [&world, what](std::uint64_t iterations) {
      if (world.rank() != 0) return;
      for (std::uint64_t i = 0; i < iterations; ++i) what();
    };
  };
  if (world.from_zero(copy.possible()) == 0)
    return measure_alone(world, arguments, names[0], copy.size, operation, [] {});
  const auto samples = sample_in_turn(world, arguments.plan, by_rank_0(operation), by_rank_0([&] { copy.run(); }));
  for (std::size_t i = 0; i < names.size() && world.rank() == 0; ++i)
    report({.name = names[i], .ranks = world.size(), .size = copy.size, .samples = samples[i]});
}

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
    Pair pair(world, size);
    measure_beside_memcpy(world, arguments, {"put_bandwidth", "memcpy_there"}, pair.there(),
                          [&] { pair.put_and_wait(); });
    measure_beside_memcpy(world, arguments, {"get_bandwidth", "memcpy_back"}, pair.back(),
                          [&] { pair.get_and_wait(); });
  }
}

void measure_stream(PolderWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or(kLarge)) {
    Pair pair(world, size);
    measure_streaming(
        world, arguments, "put_stream", size, [&] { pair.put(); }, [&] { pair.wait(polder::Completion::remote); });
    measure_streaming(
        world, arguments, "get_stream", size, [&] { pair.get(); }, [&] { pair.wait(polder::Completion::local); });
  }
}

}  // namespace bench
