#include "sim_fixture.hpp"

#include "util/random.hpp"

namespace polder::device::sim {
namespace {

constexpr Rank kRanks = 4;

// What a thread of a rank does: operations of all kinds to all ranks, until it has done enough or its rank is dead.
class Worker {
 public:
  Worker(Network& network, Rank rank, std::uint64_t seed) : network_(network), rank_(rank), random_(seed) {}

  void run(int operations) {
    for (int i = 0; i < operations; ++i) {
      const Status status = post();
      if (status.code() == Code::closed) break;
      const bool expected = status.ok() || status.code() == Code::queue_full || status.code() == Code::peer_failed;
      EXPECT_TRUE(expected) << status.to_string();
      network_.device(rank_).progress(mailbox_);
      if (i % 64 == 63) settle();
    }
    settle();
  }

  std::uint64_t added() const { return added_; }

 private:
  struct Work {
    Watch watch;
    std::uint64_t word = 1;
    bool counts = false;
  };

  Status post() {
    const auto target = Rank(random_.below(kRanks));
    const std::uint64_t index = 8 + random_.below(64);
    auto work = std::make_unique<Work>();
    Work& w = *work;
    Status status;
    switch (random_.below(5)) {
      case 0: status = network_.put(rank_, target, &w.word, index, &w.watch); break;
      case 1: status = network_.get(rank_, target, &w.word, index, &w.watch); break;
      case 2: status = network_.put_notify(rank_, target, &w.word, index, Memory::flag(rank_), &w.watch); break;
      case 3:
        w.counts = true;
        status =
            network_.atomic(rank_, target, {.offset = Memory::word_offset(0), .operand = 1, .old = &w.word}, &w.watch);
        break;
      default: return network_.device(rank_).send(target, 1, bytes_of("hello"), {});
    }
    if (status.ok()) under_way_.push_back(std::move(work));
    return status;
  }

  void settle() {
    for (const auto& work : under_way_) {
      const Status status = work->watch.wait();
      EXPECT_NE(status.code(), Code::timeout) << "an operation that never ends";
      if (status.ok() && work->counts) ++added_;
    }
    under_way_.clear();
  }

  Network& network_;
  Rank rank_;
  util::Random random_;
  Mailbox mailbox_;
  std::vector<std::unique_ptr<Work>> under_way_;
  std::uint64_t added_ = 0;
};

struct StressCase {
  const char* name;
  std::int64_t max_delay_ns;
  bool faults;
};

class SimStress : public testing::TestWithParam<StressCase> {};

INSTANTIATE_TEST_SUITE_P(All, SimStress,
                         testing::Values(StressCase{"immediate", 0, false}, StressCase{"delayed", 200'000, false},
                                         StressCase{"immediate_faults", 0, true},
                                         StressCase{"delayed_faults", 200'000, true}),
                         [](const auto& param) { return param.param.name; });

TEST_P(SimStress, ManyThreadsAllOperations) {
  constexpr int kThreads = 2, kOperations = 1000;
  Network network(
      {.ranks = kRanks, .max_delay_ns = GetParam().max_delay_ns, .detection_ns = 2'000'000, .queue_depth = 64});
  std::vector<std::unique_ptr<Worker>> workers;
  for (Rank rank = 0; rank < kRanks; ++rank)
    for (int t = 0; t < kThreads; ++t)
      workers.push_back(std::make_unique<Worker>(network, rank, rank * 100 + std::uint64_t(t)));
  {
    std::vector<std::jthread> threads;
    for (const auto& worker : workers) threads.emplace_back([&] { worker->run(kOperations); });
    if (GetParam().faults) {
      std::this_thread::sleep_for(2ms);
      network.fabric().cut(0, 2);
      std::this_thread::sleep_for(500us);
      network.fabric().heal(0, 2);
      network.fabric().kill(3);
      std::this_thread::sleep_for(1ms);
      network.fabric().cut(1, 2);
    }
  }
  std::uint64_t sum = 0, added = 0;
  for (Rank rank = 0; rank < kRanks; ++rank) sum += network.memory(rank).words[0];
  for (const auto& worker : workers) added += worker->added();
  // A lost reply may hide an addition that was done; none may be done twice or be reported and not done.
  if (GetParam().faults)
    EXPECT_GE(sum, added);
  else
    EXPECT_EQ(sum, added);
  EXPECT_GT(added, 0u);
}

TEST(SimStress, DevicesComeAndGoWhileOthersWork) {
  Network network({.ranks = kRanks, .max_delay_ns = 100'000});
  std::vector<std::jthread> threads;
  for (Rank rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&, rank] {
      Worker(network, rank, rank).run(100 * int(rank + 1));
      network.close(rank);
    });
}

}  // namespace
}  // namespace polder::device::sim
