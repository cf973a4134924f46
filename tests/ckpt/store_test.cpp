// store() that is given up, repeated or disturbed: what has its name on disk is whole, and of the epoch that it is named after.
#include "ckpt/epoch_files.hpp"
#include "ckpt/stored_jobs.hpp"

#include <functional>

namespace polder::test {
namespace {

SimulationOptions over_a_network(Rank ranks) {
  SimulationOptions options =
      World{.device = SimulatedDevice::network, .ranks = ranks, .delay_ns = 20'000, .deterministic = true}.options();
  options.detection_ns = 1'000'000;
  return options;
}

// `victim` dies when all are within the store of epoch 2; the next set stores epoch 4 alone.
void die_after_a_timeout(Rank spares, Rank victim) {
  const EpochDirectory directory;
  Simulation simulation(2 + spares, over_a_network(2 + spares));
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    const WorkingSetSpec spec = {
        .spares = spares, .least = 1, .directory = directory.path().string(), .patience = kPatience};
    WorkingSet set(rt, spec);
    SetWork work(kSteps, [&](Member& me) {
      if (!me.recoveries().empty()) return me.epoch() == 4 ? me.store(kPatience) : Status();
      if (me.epoch() != 2) return Status();
      EXPECT_TRUE(fails(me.store(Timeout::test()), Code::timeout));
      EXPECT_TRUE(fails(me.save(kPatience), Code::busy, "store()"));
      EXPECT_TRUE(ok(me.group().barrier(kPatience)));
      if (rt.rank() == victim) simulation.kill(victim);
      return me.group().barrier(kPatience);
    });
    const Status status = set.run([&](Member& me) { return work(me); });
    EXPECT_TRUE(rt.rank() == victim || ok(status)) << "rank " << rt.rank();
  })));
  EXPECT_EQ(ckpt::EpochFiles(directory.path()).epochs(), std::vector<std::uint64_t>{4});
  const StoredJob later = run_job(directory.path(), 2, kSteps);
  EXPECT_EQ(later.began, 4u);
  expect_answer(later, kSteps);
}

TEST(Store, BeginsAnewInTheNextSet) {
  for (const Rank victim : {Rank{0}, Rank{1}}) {
    die_after_a_timeout(1, victim);
    die_after_a_timeout(0, victim);  // the next set is smaller
  }
}

// What members told each other in the store that timed out is nothing that an allreduce of theirs takes as its own.
TEST(Store, LeavesTheGroupOfTheMembersAlone) {
  for (const SimulatedDevice device : {SimulatedDevice::direct, SimulatedDevice::network}) {
    const EpochDirectory directory;
    const auto store = [](Member& me) {
      EXPECT_TRUE(fails(me.store(Timeout::test()), Code::timeout));
      std::uint64_t sum = me.place() + 1;
      EXPECT_TRUE(ok(allreduce(me.group(), Reduction::sum, DataType::uint64, &sum, &sum, 1, kPatience)));
      EXPECT_EQ(sum, 6u);
      return me.store(kPatience);
    };
    const StoredJob job = run_job(directory.path(), 3, 3, store, device);
    EXPECT_EQ(job.stored, std::vector<Code>(3, Code::ok));
    EXPECT_EQ(run_job(directory.path(), 3, 4).began, 3u);
  }
}

}  // namespace
}  // namespace polder::test
