// Clocks of machines are asked for over the network, in virtual time, which all machines share: so the answers can be
// checked to the nanosecond.
#include "core/ranks.hpp"
#include "trace/format/file.hpp"
#include "trace/read/reader.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace polder::test {
namespace {

class ClockPings : public testing::Test {
 protected:
  ClockPings() {
    std::string pattern = (std::filesystem::temp_directory_path() / "polder-clocks-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    directory_ = pattern;
    setenv("POLDER_TRACE", pattern.c_str(), 1);
  }
  ~ClockPings() override {
    unsetenv("POLDER_TRACE");
    unsetenv("POLDER_TRACE_RANKS");
    std::filesystem::remove_all(directory_);
  }

  std::vector<trace::SyncRecord> syncs(Rank rank) const {
    const auto file = trace::survey_trace(trace::file_path(directory_, rank));
    EXPECT_TRUE(file.ok()) << file.status().to_string();
    return file ? file->syncs : std::vector<trace::SyncRecord>();
  }

  static void run() {
    const World world{SimulatedDevice::messages, 4, 150'000, 2, true};
    run_ranks(world.ranks, world.options(), [](Runtime& rt) {
      rest(5ms);
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    });
  }

  std::string directory_;
};

TEST_F(ClockPings, TheFirstRankOfEachMachineAsksAtBothEnds) {
  run();
  const auto asked = syncs(2);
  ASSERT_GE(asked.size(), 24u) << "twelve at each end";
  for (const trace::SyncRecord& sync : asked) {
    EXPECT_EQ(sync.peer, 0u);
    EXPECT_LE(sync.asked, sync.peer_ticks);
    EXPECT_LE(sync.peer_ticks, sync.answered);
    EXPECT_LT(sync.asked, sync.answered) << "there is a way to go";
  }
  EXPECT_GT(asked.back().asked - asked.front().asked, 5'000'000) << "the program ran in between";
  for (const Rank rank : {0u, 1u, 3u}) EXPECT_TRUE(syncs(rank).empty()) << "rank " << rank;
}

TEST_F(ClockPings, ARankThatIsNotTracedHasNoClockToTell) {
  setenv("POLDER_TRACE_RANKS", "2", 1);
  run();
  EXPECT_TRUE(syncs(2).empty());
}

}  // namespace
}  // namespace polder::test
