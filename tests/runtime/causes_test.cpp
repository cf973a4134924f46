// Programs that run, with one fault each: what the analysis of their traces names first is that fault, with the time
// that it took to 5 %. In virtual time, so that the time is known whatever the machine does.
#include "core/ranks.hpp"
#include "trace/analyse/analysis.hpp"
#include "trace/report/stats.hpp"

#include <polder/collective.hpp>
#include <polder/neighbours.hpp>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

namespace polder::test {
namespace {

using trace::Analysis;
using trace::Cause;
using trace::Loss;

constexpr std::int64_t kMicrosecond = 1000;
constexpr std::int64_t kWay = 2 * kMicrosecond;  // the longest of an operation through the fabric
constexpr int kRounds = 50;
// What one rank loses the others wait for in the barrier at the end, which is no loss of another cause.
constexpr double kAll = 4;

class CausesInPrograms : public testing::Test {
 protected:
  CausesInPrograms() {
    std::string pattern = (std::filesystem::temp_directory_path() / "polder-causes-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    directory_ = pattern;
    setenv("POLDER_TRACE", pattern.c_str(), 1);
  }
  ~CausesInPrograms() override {
    unsetenv("POLDER_TRACE");
    std::filesystem::remove_all(directory_);
  }

  using Work = std::function<void(std::int64_t us)>;
  using Body = std::function<void(Runtime&, const Work& work)>;

  // Of a job of four ranks whose `body` begins with a segment of each, and all ranks at one point.
  Analysis analysis_of(const Body& body) {
    const World world{SimulatedDevice::network, 4, kWay, 0, true};
    Simulation simulation(world.ranks, world.options());
    run_ranks(simulation, [&](Runtime& rt) {
      ASSERT_TRUE(ok(rt.create_segment({.size = 1 << 20, .id = 1, .notifications = 64}, rt.world(), kPatience)));
      body(rt, [&](std::int64_t us) { simulation.sleep(us * kMicrosecond); });
    });
    auto analysis = trace::analyse_directory(directory_);
    EXPECT_TRUE(ok(analysis));
    return analysis.ok() ? *std::move(analysis) : Analysis();
  }

  // Small puts to one place, each of which the network takes once the one before has come.
  static void put_in_order(Runtime& rt, std::uint64_t count) {
    Post in_order(kPatience);
    in_order.ordering = Ordering::strict;
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(ok(rt.put(&i, {1, 1, 0}, sizeof i, in_order)));
  }

  static void expect_first(const Analysis& analysis, Cause cause, double lost_us, Rank culprit = ~Rank{0}) {
    ASSERT_FALSE(analysis.losses.empty());
    const Loss& first = analysis.losses[0];
    EXPECT_STREQ(to_string(first.cause), to_string(cause)) << stats_text(analysis);
    EXPECT_NEAR(double(first.ns) / kMicrosecond, lost_us, 0.05 * lost_us) << stats_text(analysis);
    EXPECT_EQ(first.culprit, culprit) << stats_text(analysis);
  }

  std::string directory_;
};

TEST_F(CausesInPrograms, ASlowRank) {
  const Analysis analysis = analysis_of([](Runtime& rt, const Work& work) {
    for (int round = 0; round < kRounds; ++round) {
      work(rt.rank() == 2 ? 900 : 600);
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    }
  });
  expect_first(analysis, Cause::imbalance, kRounds * 3 * 300, 2);
  EXPECT_NE(analysis.losses[0].sentence.find("waited"), std::string::npos);
}

TEST_F(CausesInPrograms, ASerialSection) {
  const Analysis analysis = analysis_of([](Runtime& rt, const Work& work) {
    for (int round = 0; round < kRounds; ++round) {
      work(300);
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() == 1) work(700);
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    }
  });
  expect_first(analysis, Cause::serial_section, kRounds * 3 * 700, 1);
}

// Two pairs, of which one has a slow member: the other one waits for nobody.
TEST_F(CausesInPrograms, NobodyWaitsForWhoIsNoNeighbour) {
  const Analysis analysis = analysis_of([](Runtime& rt, const Work& work) {
    const Rank partner = rt.rank() ^ 1;
    auto pair = Neighbours::graph(rt.world(), {&partner, 1}, {&partner, 1});
    ASSERT_TRUE(ok(pair));
    ASSERT_TRUE(ok(pair->commit(kPatience)));
    for (int round = 0; round < kRounds; ++round) {
      work(rt.rank() == 3 ? 900 : 600);
      std::uint64_t theirs = 0;
      ASSERT_TRUE(ok(neighbour_alltoall(*pair, sizeof theirs, &rt, &theirs, kPatience)));
    }
  });
  const auto found = analysis.wait_states.find("Wait at N x N");
  EXPECT_TRUE(found == analysis.wait_states.end() || found->second < 300 * kMicrosecond) << stats_text(analysis);
  for (const auto& profile : analysis.profiles) EXPECT_EQ(profile.calls.at("neighbours").count, std::uint64_t{kRounds});
}

// The sender hears when its data has been used, so both are in step.
TEST_F(CausesInPrograms, ALateNotification) {
  const Analysis analysis = analysis_of([](Runtime& rt, const Work& work) {
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      if (rt.rank() == 0) {
        work(800);
        ASSERT_TRUE(ok(rt.put_notify(&round, {1, 1, 64}, sizeof round, {.id = 3, .value = round}, Post(kPatience))));
        ASSERT_TRUE(ok(rt.wait_some(1, 4, 1, kPatience)));
        ASSERT_TRUE(ok(rt.reset(1, 4)));
      } else if (rt.rank() == 1) {
        work(200);
        ASSERT_TRUE(ok(rt.wait_some(1, 3, 1, kPatience)));
        ASSERT_TRUE(ok(rt.reset(1, 3)));
        ASSERT_TRUE(ok(rt.notify(0, 1, {.id = 4, .value = round}, Post(kPatience))));
      }
    }
    if (rt.rank() > 1) work(kRounds * 802);
  });
  expect_first(analysis, Cause::late_notification, kRounds * 600, 0);
}

TEST_F(CausesInPrograms, TinyPutsInOrder) {
  std::int64_t spent = 0;
  const Analysis analysis = analysis_of([&](Runtime& rt, const Work&) {
    if (rt.rank() != 0) return;
    const std::int64_t begin = clock_here().now_ns();
    put_in_order(rt, 1000);
    spent = clock_here().now_ns() - begin;
  });
  expect_first(analysis, Cause::tiny_puts, kAll * 0.999 * double(spent) / kMicrosecond, 1);
  EXPECT_NE(analysis.losses[0].sentence.find("; others waited "), std::string::npos) << analysis.losses[0].sentence;
}

// Nobody waits for who loses the time: it is that rank's alone.
TEST_F(CausesInPrograms, TinyPutsBesideWorkOfOthers) {
  std::int64_t spent = 0;
  const Analysis analysis = analysis_of([&](Runtime& rt, const Work& work) {
    if (rt.rank() != 0) return work(1000);
    const std::int64_t begin = clock_here().now_ns();
    put_in_order(rt, 200);
    spent = clock_here().now_ns() - begin;
    work(1000 - spent / kMicrosecond);
  });
  expect_first(analysis, Cause::tiny_puts, 0.995 * double(spent) / kMicrosecond, 1);
}

TEST_F(CausesInPrograms, CompletionsThatWereNotNeeded) {
  std::int64_t spent = 0;
  const Analysis analysis = analysis_of([&](Runtime& rt, const Work&) {
    if (rt.rank() != 3) return;
    auto queue = rt.create_queue();
    ASSERT_TRUE(ok(queue));
    const std::vector<std::byte> data = noise(1, 4096);
    for (std::uint64_t i = 0; i < 200; ++i) {
      ASSERT_TRUE(ok(rt.put(data.data(), {1, 1, 4096 * i}, data.size(), Post(**queue, kPatience))));
      const std::int64_t begin = clock_here().now_ns();
      ASSERT_TRUE(ok((*queue)->wait(Completion::remote, kPatience)));
      spent += clock_here().now_ns() - begin;
    }
  });
  expect_first(analysis, Cause::remote_completion, kAll * 199.0 / 200 * double(spent) / kMicrosecond);
}

// The program asks for room at once, and waits for the queue where there is none.
TEST_F(CausesInPrograms, AQueueThatIsFullAndWaitedFor) {
  std::int64_t spent = 0;
  const Analysis analysis = analysis_of([&](Runtime& rt, const Work&) {
    if (rt.rank() != 1) return;
    auto queue = rt.create_queue(4);
    ASSERT_TRUE(ok(queue));
    const std::vector<std::byte> data = noise(1, 4096);
    ASSERT_TRUE(ok(rt.put(data.data(), {2, 1, 0}, data.size(), Post(Until::remote, kPatience))));
    for (std::uint64_t i = 0; i < 200; ++i) {
      const GlobalAddress place{2, 1, 4096 * i};
      const std::int64_t begin = clock_here().now_ns();
      Status posted = rt.put(data.data(), place, data.size(), Post(**queue, Timeout::test()));
      if (posted.code() == Code::queue_full) {
        ASSERT_TRUE(ok((*queue)->wait(Completion::remote, kPatience)));
        spent += clock_here().now_ns() - begin;
        posted = rt.put(data.data(), place, data.size(), Post(**queue, Timeout::test()));
      }
      ASSERT_TRUE(ok(posted));
    }
    ASSERT_TRUE(ok((*queue)->wait(Completion::remote, kPatience)));
  });
  expect_first(analysis, Cause::queue_full, kAll * double(spent) / kMicrosecond);
}

TEST_F(CausesInPrograms, AlgorithmsOfCollectivesHaveTheirNames) {
  const Analysis analysis = analysis_of([](Runtime& rt, const Work&) {
    const std::uint64_t mine = rt.rank();
    std::uint64_t sum = 0;
    for (int round = 0; round < kRounds; ++round)
      ASSERT_TRUE(ok(allreduce(rt.world(), Reduction::sum, DataType::uint64, &mine, &sum, 1, kPatience)));
  });
  std::uint64_t times = 0;
  for (const auto& [key, totals] : analysis.algorithms)
    if (key.first == "allreduce") times += totals.count;
  EXPECT_EQ(times, std::uint64_t{kRounds} * 4) << stats_text(analysis);
  EXPECT_NE(stats_text(analysis).find("allreduce by "), std::string::npos);
}

// The call that posts waits for room itself.
TEST_F(CausesInPrograms, AFullQueueInWhichThePostWaits) {
  std::int64_t spent = 0;
  const Analysis analysis = analysis_of([&](Runtime& rt, const Work&) {
    if (rt.rank() != 1) return;
    auto queue = rt.create_queue(4);
    ASSERT_TRUE(ok(queue));
    const std::vector<std::byte> data = noise(1, 4096);
    const std::int64_t begin = clock_here().now_ns();
    for (std::uint64_t i = 0; i < 200; ++i)
      ASSERT_TRUE(ok(rt.put(data.data(), {2, 1, 4096 * i}, data.size(), Post(**queue, kPatience))));
    spent = clock_here().now_ns() - begin;
    ASSERT_TRUE(ok((*queue)->wait(Completion::remote, kPatience)));
  });
  expect_first(analysis, Cause::queue_full, kAll * double(spent) / kMicrosecond);
}

}  // namespace
}  // namespace polder::test
