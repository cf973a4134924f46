// Whoever dies in the middle of a call, and when: the others are told, and what they gave for it is theirs again.
#pragma once

#include "core/ranks.hpp"
#include "util/random.hpp"
#include "words.hpp"

#include <polder/simulate.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace polder::test {

// `calls_of(rt, mine, all)` makes what a rank calls, again and again: it returns a Status, reads `mine` and writes `all`, `count` words each.
// REQUIRES: every call needs all of the ranks.
template <class CallsOf>
void expect_own_memory_once_a_call_has_ended(Rank ranks, std::size_t count, CallsOf&& calls_of) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulationOptions options = World{SimulatedDevice::network, ranks, 150'000, 0, true}.options();
    options.seed = seed;
    Simulation simulation(ranks, options);
    util::Random random(seed);
    const Rank victim = Rank(random.below(ranks));
    simulation.at(std::int64_t(2'000'000 + random.below(20'000'000)),
                  [&simulation, victim] { simulation.kill(victim); });
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      const Words mine = words(rt.rank(), count);
      Words all(count);
      auto calls = calls_of(rt, mine, all);
      Status status;
      while (status.ok()) status = calls();
      if (rt.rank() == victim) return;
      EXPECT_TRUE(fails(status, Code::peer_failed)) << status.to_string();
      std::fill(all.begin(), all.end(), 0x5e1f);
      rest(5ms);
      EXPECT_EQ(all, Words(count, 0x5e1f));
    })));
  }
}

}  // namespace polder::test
