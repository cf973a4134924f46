#include "micro/measurements.hpp"

#include <memory>

namespace bench {

// A mutex at the last rank: taken and given back by one rank while nobody else wants it, and by all at once.
void measure_mutex(PolderWorld& world, const Arguments& arguments) {
  polder::Runtime& rt = world.runtime();
  auto mutexes = world.must("create_mutexes", rt.create_mutexes(rt.world(), 1, kPatience));
  const polder::MutexName name{.rank = polder::Rank(world.size() - 1)};
  for (const bool all : {false, true}) {
    const auto samples = sample(
        world, arguments.plan,
        [&](std::uint64_t iterations) {
          if (!all && world.rank() != 0) return;
          for (std::uint64_t i = 0; i < iterations; ++i) {
            world.must("lock", mutexes->lock(name, kPatience));
            world.must("unlock", mutexes->unlock(name, kPatience));
          }
        },
        all ? Timed::span : Timed::here);
    if (world.rank() == 0)
      report({.name = all ? "mutex_contended" : "mutex", .ranks = world.size(), .samples = samples});
  }
  world.must("destroy", mutexes->destroy(kPatience));
}

}  // namespace bench
