#include "common/survivors.hpp"

#include <polder/simulate.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace apps {
namespace {

constexpr std::int64_t kSlice = 100'000'000;  // ns
constexpr double kShort = 0.3;                // seconds of patience: less than the work takes

using Work = std::function<Status(const Team& team)>;

// What run() returns at each of four ranks, the last two of them spares, in virtual time.
struct Survived {
  std::vector<Status> outcomes{4, Status(Code::closed, "it did not end")};
  std::vector<std::size_t> recoveries = std::vector<std::size_t>(4);
};

Survived survive(polder::Simulation& simulation, const Work& work) {
  Survived survived;
  const Status began = simulation.run([&](polder::Runtime& runtime) {
    Survivors survivors(runtime, 2, kShort);
    survived.outcomes[runtime.rank()] = survivors.run(work);
    survived.recoveries[runtime.rank()] = survivors.recoveries().size();
  });
  EXPECT_TRUE(began.ok()) << began.to_string();
  return survived;
}

// Work that takes five times the patience.
Status work_long(polder::Simulation& simulation, const Team& team) {
  Status status;
  for (int slice = 0; slice < 15 && status.ok(); ++slice) {
    simulation.sleep(kSlice);
    status = team.barrier();
  }
  return status;
}

TEST(Survivors, SparesWaitHoweverLongItTakesAlsoWhereOneOfThemDies) {
  for (const polder::Rank victim : {2U, 3U}) {
    polder::Simulation simulation(4, {.deterministic = true});
    simulation.at(kSlice, [&] { simulation.kill(victim); });
    int calls = 0;
    const Survived survived = survive(simulation, [&](const Team& team) {
      ++calls;
      return work_long(simulation, team);
    });
    for (polder::Rank rank = 0; rank < 4; ++rank)
      if (rank != victim) {
        EXPECT_TRUE(survived.outcomes[rank].ok()) << rank << ": " << survived.outcomes[rank].to_string();
        EXPECT_EQ(survived.recoveries[rank], 0U);
      }
    EXPECT_EQ(calls, 2) << "the death of a spare is no reason to work again";
  }
}

TEST(Survivors, ASpareTakesThePlaceOfAWorkerAfterASpareHasDied) {
  polder::Simulation simulation(4, {.deterministic = true});
  simulation.at(kSlice, [&] { simulation.kill(2); });
  simulation.at(8 * kSlice, [&] { simulation.kill(0); });
  std::vector<polder::Rank> last;
  const Survived survived = survive(simulation, [&](const Team& team) {
    last.assign(team.group().ranks().begin(), team.group().ranks().end());
    return work_long(simulation, team);
  });
  for (const polder::Rank rank : {1U, 3U}) {
    EXPECT_TRUE(survived.outcomes[rank].ok()) << rank << ": " << survived.outcomes[rank].to_string();
    EXPECT_EQ(survived.recoveries[rank], 1U);
  }
  EXPECT_EQ(last, (std::vector<polder::Rank>{1, 3}));
}

TEST(Survivors, AnErrorOfOneWorkerIsAnErrorOfAllAndToldOnce) {
  polder::Simulation simulation(4, {.deterministic = true});
  const Survived survived = survive(simulation, [](const Team& team) {
    return team.rank() == 1 ? Status(Code::system, "a bad disk") : stopped_by_another();
  });
  for (polder::Rank rank = 0; rank < 4; ++rank) {
    EXPECT_FALSE(survived.outcomes[rank].ok()) << rank;
    EXPECT_EQ(survived.outcomes[rank].message(), rank == 1 ? "a bad disk" : "") << rank;
  }
}

}  // namespace
}  // namespace apps
