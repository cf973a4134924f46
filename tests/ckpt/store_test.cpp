// store() that is given up, repeated or disturbed: what has its name on disk is whole, and of the epoch that it is named after.
#include "ckpt/stored_jobs.hpp"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

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
      if (Status all = me.group().barrier(kPatience); !all.ok()) return all;
      if (rt.rank() == victim) simulation.kill(victim);
      return me.group().barrier(kPatience);
    });
    const Status status = set.run([&](Member& me) { return work(me); });
    EXPECT_TRUE(rt.rank() == victim || ok(status)) << "rank " << rt.rank();
  })));
  EXPECT_EQ(epochs_in(directory.path()), std::vector<std::uint64_t>{4});
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

// A limit on the size of files is that of the process, so of all ranks: it is lifted before another one has a turn.
class SmallFiles {
 public:
  SmallFiles() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit small = {500, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  ~SmallFiles() {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

// Place 1 cannot write, is the last to tell, and has written once more before place 0 hears of the first time.
TEST(Store, RepeatedAtOnceLosesNothingToTheOneBefore) {
  const EpochDirectory directory;
  Simulation simulation(2, over_a_network(2));
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    std::optional<SmallFiles> full;
    WorkingSetSpec spec = {.spares = 0, .directory = directory.path().string(), .patience = kPatience};
    spec.at_step = [&](std::string_view step) {
      if (step == "store: written") full.reset();
      if (step == "store: telling" && rt.rank() == 1) simulation.sleep(5'000'000);
    };
    WorkingSet set(rt, spec);
    SetWork work(2, [&](Member& me) {
      if (me.epoch() != 2) return Status();
      if (me.place() == 1) full.emplace();
      EXPECT_TRUE(fails(me.store(kPatience), Code::system, me.place() == 1 ? "cannot write" : "place 1"));
      if (me.place() == 0) simulation.sleep(1'000'000);
      return me.store(kPatience);
    });
    EXPECT_TRUE(ok(set.run([&](Member& me) { return work(me); })));
  })));
  const StoredJob later = run_job(directory.path(), 2, 3);
  EXPECT_EQ(later.began, 2u);
  expect_answer(later, 3);
}

// As a directory that only some machines see: what is missing is not published.
TEST(Store, FailsWhereAPartIsNotToBeSeen) {
  const EpochDirectory directory;
  Simulation simulation(2, over_a_network(2));
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    WorkingSetSpec spec = {.spares = 0, .directory = directory.path().string(), .patience = kPatience};
    spec.at_step = [&](std::string_view step) {
      if (step == "store: telling" && rt.rank() == 1)
        for (const auto& draft : std::filesystem::directory_iterator(directory.path()))
          std::filesystem::remove(draft.path() / "part-1");
    };
    WorkingSet set(rt, spec);
    SetWork work(1, [&](Member& me) {
      EXPECT_TRUE(fails(me.store(kPatience), Code::system, me.place() == 0 ? "part-1" : "place 0"));
      return Status();
    });
    EXPECT_TRUE(ok(set.run([&](Member& me) { return work(me); })));
  })));
  EXPECT_TRUE(epochs_in(directory.path()).empty());
}

// Also where another attempt has left behind what it was to replace.
TEST(Store, ReplacesAnEpochThatIsThereAlready) {
  const EpochDirectory directory;
  const std::filesystem::path left = directory.path() / "epoch-2.new.replaced";
  const StoredJob job = run_job(directory.path(), 2, 2, [&](Member& me) {
    Status status = me.store(kPatience);
    if (me.place() == 0) {
      std::filesystem::create_directories(left);
      std::ofstream(left / "part-0") << "of another attempt";
    }
    return status.ok() ? me.store(kPatience) : status;
  });
  EXPECT_EQ(job.stored, std::vector<Code>(2, Code::ok));
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_EQ(run_job(directory.path(), 2, 3).began, 2u);
}

}  // namespace
}  // namespace polder::test
