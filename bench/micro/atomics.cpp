#include "common/alone.hpp"
#include "micro/measurements.hpp"
#include "micro/shared_segment.hpp"

#include <algorithm>
#include <vector>

namespace bench {
namespace {

// Ranks 0 .. adders-1 add to the first word of the last rank. Per operation of each.
void measure_adders(PolderWorld& world, const Arguments& arguments, const char* name, int adders) {
  const SharedSegment segment(world, 64);
  const polder::GlobalAddress word = segment.at(world.size() - 1);
  const bool adds = world.rank() < adders;
  const auto add = [&](std::uint64_t iterations) {
    if (!adds) return;
    // As in a program, the old value is used: the next operation cannot start before it is there.
    std::uint64_t seen = 0;
    for (std::uint64_t i = 0; i < iterations; ++i)
      seen ^= world.must("fetch_add", world.runtime().fetch_add<std::uint64_t>(word, 1 + (seen >> 63)));
  };
  const auto samples = sample(world, arguments.plan, add, adders > 1 ? Timed::span : Timed::here);
  if (world.rank() == 0) report({.name = name, .ranks = world.size(), .size = 8, .samples = samples});
}

// Rank 0 posts one after the other and waits at the end; old values go round a ring, as a program would use them later.
void measure_posted(PolderWorld& world, const Arguments& arguments) {
  const SharedSegment segment(world, 64);
  const polder::GlobalAddress word = segment.at(world.size() - 1);
  std::vector<std::uint64_t> old(1024);
  std::size_t next = 0;
  measure_alone(
      world, arguments, "fetch_add_posted", 8,
      [&] {
        world.must("post_fetch_add", world.runtime().post_fetch_add<std::uint64_t>(&old[next], word, 1));
        next = (next + 1) % old.size();
      },
      [&] { world.must("wait", world.runtime().queue().wait(polder::Completion::local, kPatience)); });
}

void measure_reduction(PolderWorld& world, const Arguments& arguments, const char* name,
                       const polder::Accumulation& how, std::size_t size) {
  const SharedSegment segment(world, size);
  auto* source = reinterpret_cast<double*>(segment.mine());
  if (world.rank() == 0) std::fill_n(source, size / sizeof(double), 0.5);
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    if (world.rank() != 0) return;
    for (std::uint64_t i = 0; i < iterations; ++i) {
      world.must("accumulate", world.runtime().accumulate(how, source, segment.at(1), size));
      world.must("wait", world.runtime().queue().wait(polder::Completion::remote, kPatience));
    }
  });
  if (world.rank() == 0) report({.name = name, .ranks = world.size(), .size = size, .samples = samples});
}

}  // namespace

void measure_fetch_add(PolderWorld& world, const Arguments& arguments) {
  measure_adders(world, arguments, "fetch_add", world.size());
  measure_adders(world, arguments, "fetch_add_alone", 1);
  measure_posted(world, arguments);
}

void measure_accumulate(PolderWorld& world, const Arguments& arguments) {
  const double scale = 0.5;
  for (const std::size_t size : arguments.sizes_or({8, 512, 8 << 10, 64 << 10, 1 << 20})) {
    measure_reduction(world, arguments, "accumulate", {.op = polder::Reduction::sum}, size);
    measure_reduction(world, arguments, "accumulate_axpy", {.op = polder::Reduction::axpy, .scale = &scale}, size);
  }
}

}  // namespace bench
