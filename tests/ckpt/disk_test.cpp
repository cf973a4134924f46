// Epochs on disk: what a later job begins from, and that a torn file or a full disk leaves the epoch before.
#include "ckpt/epoch_files.hpp"
#include "ckpt/stored_jobs.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace polder::test {
namespace {

namespace fs = std::filesystem;

TEST(EpochsOnDisk, AreWhereALaterJobBegins) {
  const EpochDirectory directory;
  const StoredJob first = run_job(directory.path() / "new", 3, 3);
  EXPECT_EQ(first.began, 0u);
  EXPECT_EQ(first.stored, std::vector<Code>(3, Code::ok));
  EXPECT_EQ(epochs_in(directory.path() / "new"), (std::vector<std::uint64_t>{3, 2}));
  const StoredJob same = run_job(directory.path() / "new", 3, 4), other = run_job(directory.path() / "new", 4, 6),
                  fewer = run_job(directory.path() / "new", 2, 7);
  EXPECT_EQ(same.began, 3u);
  EXPECT_EQ(other.began, 4u);
  EXPECT_EQ(fewer.began, 6u);
  expect_answer(other, 6);
  expect_answer(fewer, 7);
}

// Each kind of damage to the last epoch of three.
void tear(const fs::path& epoch, int kind) {
  const fs::path part = epoch / "part-1", table = epoch / "table";
  const auto flip = [](const fs::path& path, std::streamoff at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char byte = char(file.get() ^ 4);
    file.seekp(at);
    file.put(byte);
  };
  switch (kind) {
    case 0: return fs::resize_file(part, fs::file_size(part) - 1);
    case 1: return fs::resize_file(part, 0);
    case 2: return flip(part, 100);
    case 3: return flip(part, 9);
    case 4: return void(fs::remove(part));
    case 5: return fs::resize_file(table, fs::file_size(table) / 2);
    case 6: return flip(table, 30);
    case 7: return void(fs::remove(table));
    case 8: return void(fs::copy_file(epoch / "part-0", part, fs::copy_options::overwrite_existing));
    default: return fs::resize_file(part, fs::file_size(part) + 8);
  }
}

TEST(EpochsOnDisk, GiveWayToTheOneBeforeWhereAFileIsTorn) {
  const EpochDirectory whole;
  (void)run_job(whole.path(), 3, 3);
  for (int kind = 0; kind < 10; ++kind) {
    const EpochDirectory directory;
    fs::copy(whole.path(), directory.path(), fs::copy_options::recursive);
    tear(directory.path() / "epoch-3", kind);
    const StoredJob later = run_job(directory.path(), 3, 4);
    EXPECT_EQ(later.began, 2u) << "damage " << kind;
    expect_answer(later, 4);
    EXPECT_EQ(epochs_in(directory.path()), (std::vector<std::uint64_t>{4, 3}));
  }
}

TEST(EpochsOnDisk, BeginFromNothingWhereAllAreTorn) {
  const EpochDirectory directory;
  (void)run_job(directory.path(), 2, 2);
  tear(directory.path() / "epoch-1", 0), tear(directory.path() / "epoch-2", 7);
  const StoredJob later = run_job(directory.path(), 2, 1);
  EXPECT_EQ(later.began, 0u);
  expect_answer(later, 1);
  EXPECT_EQ(epochs_in(directory.path()), std::vector<std::uint64_t>{1}) << "the torn later one is gone";
}

TEST(EpochsOnDisk, AreNotCountedAmongTheLastTwoWhereTheyAreTorn) {
  const EpochDirectory directory;
  (void)run_job(directory.path(), 2, 3);
  tear(directory.path() / "epoch-3", 2);
  const StoredJob later =
      run_job(directory.path(), 2, 4, [](Member& me) { return me.epoch() == 4 ? me.store(kPatience) : Status(); });
  EXPECT_EQ(later.began, 2u);
  EXPECT_EQ(epochs_in(directory.path()), (std::vector<std::uint64_t>{4, 2}));
}

// A torn epoch whose successor does not get the name is none of the last two either, when another one does.
TEST(EpochsOnDisk, AreTornUntilTheNextOfThatNameIsThere) {
  const EpochDirectory directory;
  (void)run_job(directory.path(), 2, 3);
  tear(directory.path() / "epoch-3", 2);
  fs::create_directories(directory.path() / "epoch-3.new.1.0" / "table");  // so that no table can be written there
  const StoredJob later = run_job(directory.path(), 2, 4);
  EXPECT_EQ(later.began, 2u);
  EXPECT_EQ(later.stored, (std::vector<Code>{Code::system, Code::ok}));
  EXPECT_EQ(epochs_in(directory.path()), (std::vector<std::uint64_t>{4, 2}));
}

TEST(EpochsOnDisk, AreTheLastTwoWhereOneIsStoredTwice) {
  const EpochDirectory directory;
  (void)run_job(directory.path(), 2, 3, [](Member& me) {
    const Status status = me.store(kPatience);
    return status.ok() ? me.store(kPatience) : status;
  });
  EXPECT_EQ(epochs_in(directory.path()), (std::vector<std::uint64_t>{3, 2}));
}

// The members tell a spare at place 0 which one is whole: it was not there when they looked.
TEST(EpochsOnDisk, AreTornForASpareAsWell) {
  const EpochDirectory directory;
  (void)run_job(directory.path(), 2, 3);
  tear(directory.path() / "epoch-3", 2);
  SimulationOptions options =
      World{.device = SimulatedDevice::network, .delay_ns = 20'000, .deterministic = true}.options();
  options.detection_ns = 1'000'000;
  Simulation simulation(3, options);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    WorkingSet set(rt, {.spares = 1, .directory = directory.path().string(), .patience = kPatience});
    SetWork work(4, [&](Member& me) {
      if (me.epoch() == 4) return me.store(kPatience);
      if (rt.rank() == 0) simulation.kill(0);
      return me.group().barrier(kPatience);
    });
    const Status status = set.run([&](Member& me) { return work(me); });
    EXPECT_TRUE(rt.rank() == 0 || ok(status)) << "rank " << rt.rank();
  })));
  EXPECT_EQ(epochs_in(directory.path()), (std::vector<std::uint64_t>{4, 2}));
}

TEST(EpochsOnDisk, AreNoFiles) {
  const EpochDirectory directory;
  (void)run_job(directory.path(), 2, 3);
  std::ofstream(directory.path() / "epoch-9") << "a copy that somebody has packed";
  EXPECT_EQ(run_job(directory.path(), 2, 4).began, 3u);
  EXPECT_TRUE(fs::exists(directory.path() / "epoch-9"));
}

// No descriptor is left in begin().
TEST(EpochsOnDisk, StayWhereTheyCannotBeListed) {
  if (POLDER_SANITIZED)
    GTEST_SKIP() << "a sanitizer looks at memory through a pipe, for which no descriptor is left either";
  const EpochDirectory directory;
  (void)run_job(directory.path(), 2, 3);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  Simulation simulation(2, World{.device = SimulatedDevice::network, .deterministic = true}.options());
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    WorkingSet set(rt, {.spares = 0, .directory = directory.path().string()});
    SetWork work(1, [](Member& me) { return me.store(kPatience); });
    const Status status = set.run([&](Member& me) {
      if (me.place() != 0) return work(me);
      const int next = ::dup(STDIN_FILENO);
      ::close(next);
      const rlimit none = {rlim_t(next), before.rlim_max};
      EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
      Status mine = work(me);
      EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
      return mine;
    });
    EXPECT_TRUE(fails(status, Code::system, "list"));
  })));
  EXPECT_EQ(epochs_in(directory.path()), (std::vector<std::uint64_t>{3, 2}));
  EXPECT_EQ(run_job(directory.path(), 2, 4).began, 3u);
}

// As where the machine of rank `blind` has not mounted the file system.
void begin_where_one_does_not_see(Rank blind, const fs::path& there, const char* says, const char* blind_says) {
  const EpochDirectory other;
  Simulation simulation(2, World{.device = SimulatedDevice::network, .deterministic = true}.options());
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    const bool is_blind = rt.rank() == blind;
    WorkingSet set(rt, {.spares = 0, .directory = (is_blind ? other.path() / "none" : there).string()});
    SetWork work(1, [](Member& me) { return me.store(kPatience); });
    EXPECT_TRUE(fails(set.run([&](Member& me) { return work(me); }), Code::system, is_blind ? blind_says : says));
  })));
  EXPECT_EQ(epochs_in(there), (std::vector<std::uint64_t>{3, 2}));
}

TEST(EpochsOnDisk, StayWhereAMemberDoesNotSeeThem) {
  const EpochDirectory directory;
  (void)run_job(directory.path(), 2, 3);
  begin_where_one_does_not_see(1, directory.path(), "a member cannot look at epoch 3", "cannot open");
  constexpr const char* kAtPlace0 = "place 1 sees epoch 3 on disk, and place 0 none";
  begin_where_one_does_not_see(0, directory.path(), kAtPlace0, kAtPlace0);
}

// A death at each step of storing epoch 2: a spare goes on, and what is on disk at the end is whole.
void die_while_storing(std::string_view where, Rank victim) {
  const EpochDirectory directory;
  SimulationOptions options =
      World{.device = SimulatedDevice::network, .delay_ns = 20'000, .deterministic = true}.options();
  options.detection_ns = 1'000'000;
  Simulation simulation(4, options);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    int seen = 0;
    WorkingSetSpec spec = {.spares = 1, .directory = directory.path().string(), .patience = kPatience};
    spec.at_step = [&](std::string_view step) {
      if (rt.rank() == victim && step == where && ++seen == 2) simulation.kill(victim);
    };
    WorkingSet set(rt, spec);
    SetWork work(kSteps, [](Member& me) { return me.store(kPatience); });
    const Status status = set.run([&](Member& me) { return work(me); });
    EXPECT_TRUE(rt.rank() == victim || ok(status)) << where << ", rank " << victim;
  })));
  EXPECT_EQ(epochs_in(directory.path()), (std::vector<std::uint64_t>{kSteps, kSteps - 1}));
  const StoredJob later = run_job(directory.path(), 2, kSteps + 1);
  EXPECT_EQ(later.began, kSteps);
  expect_answer(later, kSteps + 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()), 2) << "drafts are left";
}

TEST(EpochsOnDisk, OutliveDeathsWhileTheyAreStored) {
  for (const std::string_view where : {"store: written", "store: telling", "store: published"})
    for (const Rank victim : {Rank{0}, Rank{2}}) die_while_storing(where, victim);
}

// A limit on the size of files refuses the rest of a write, as a full disk does.
TEST(EpochsOnDisk, StayAsTheyAreWhereTheDiskIsFull) {
  const EpochDirectory directory;
  (void)run_job(directory.path(), 2, 2);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {500, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const StoredJob full = run_job(directory.path(), 2, 4, [&](Member& me) {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    Status status = me.store(kPatience);
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    return status;
  });
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(full.stored, std::vector<Code>(2, Code::system));
  expect_answer(full, 4);
  EXPECT_EQ(epochs_in(directory.path()), (std::vector<std::uint64_t>{2, 1}));
  const StoredJob later = run_job(directory.path(), 2, 4);
  EXPECT_EQ(later.began, 2u);
  expect_answer(later, 4);
}

TEST(EpochTable, RefusesWhatIsNotWhole) {
  ckpt::EpochTable table;
  table.epoch = 7;
  table.parts = {{100, 5}, {0, 6}};
  const std::vector<std::byte> file = table.encode();
  const auto decoded = ckpt::EpochTable::decode(file);
  ASSERT_TRUE(ok(decoded));
  EXPECT_EQ(decoded->epoch, 7u);
  EXPECT_EQ(decoded->parts, table.parts);
  for (std::size_t bytes = 0; bytes < file.size(); ++bytes)
    EXPECT_TRUE(fails(ckpt::EpochTable::decode(std::span(file).first(bytes)), Code::system, "table of parts"));
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::vector<std::byte> other = file;
    other[at] ^= std::byte{32};
    EXPECT_TRUE(fails(ckpt::EpochTable::decode(other), Code::system, "table of parts")) << at;
  }
}

}  // namespace
}  // namespace polder::test
