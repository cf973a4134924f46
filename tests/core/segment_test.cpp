// Segments: their life, their limits, and what peers see while they come and go.
#include "core/ranks.hpp"

#include <algorithm>
#include <atomic>

namespace polder::test {
namespace {

class Segments : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Segments, testing::ValuesIn(worlds({1, 2, 4})), name_of_param);

TEST_P(Segments, EachRankChoosesItsOwnSize) {
  run([](Runtime& rt) {
    auto segment =
        rt.create_segment({.size = 100 * rt.rank(), .id = 9, .notifications = 10 + rt.rank()}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    EXPECT_EQ(segment->size, 100 * rt.rank());
    for (Rank peer = 0; peer < rt.size(); ++peer) {
      auto remote = rt.remote_segment(peer, 9, kPatience);
      ASSERT_TRUE(ok(remote));
      EXPECT_EQ(remote->size, 100 * peer);
      EXPECT_EQ(remote->notifications, 10 + peer);
      EXPECT_TRUE(fails(rt.put("x", {peer, 9, 100 * peer}, 1), Code::invalid_offset));
      EXPECT_TRUE(fails(rt.notify(peer, 9, {.id = 10 + peer}), Code::invalid_notification));
      ASSERT_TRUE(ok(rt.notify(peer, 9, {.id = 9})));
    }
    ASSERT_TRUE(ok(rt.wait_some(9, 0, 10 + rt.rank(), kPatience)));
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
  });
}

TEST_P(Segments, FreshMemoryIsZeroEvenUnderAUsedId) {
  run([](Runtime& rt) {
    for (int round = 0; round < 5; ++round) {
      auto segment = rt.create_segment({.size = 9000, .id = 0}, rt.world(), kPatience);
      ASSERT_TRUE(ok(segment));
      EXPECT_TRUE(std::all_of(segment->data, segment->data + 9000, [](std::byte b) { return b == std::byte{0}; }));
      EXPECT_TRUE(fails(rt.wait_some(0, 0, 100, Timeout::test()), Code::timeout)) << "and no flag is set";
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      const auto bytes = noise(std::uint64_t(round), 9000);
      ASSERT_TRUE(ok(rt.put_notify(bytes.data(), {next_of(rt), 0, 0}, 9000, {.id = 99})));
      ASSERT_TRUE(ok(rt.wait_some(0, 99, 1, kPatience)));
      ASSERT_TRUE(ok(rt.fence_all(kPatience)));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      ASSERT_TRUE(ok(rt.delete_segment(0)));
    }
  });
}

TEST_P(Segments, AReusedIdHasItsNewSizeForEveryone) {
  run([](Runtime& rt) {
    for (std::size_t round = 1; round <= 12; ++round) {
      const std::size_t size =
          round % 2 == 0 ? 64 : 20'000 * round;  // grows and shrinks; so do the flags before the data
      const std::uint32_t flags = round % 3 == 0 ? 1 : std::uint32_t(5000 * round);
      auto segment = rt.create_segment({.size = size, .id = 1, .notifications = flags}, rt.world(), kPatience);
      ASSERT_TRUE(ok(segment));
      auto remote = rt.remote_segment(next_of(rt), 1, kPatience);
      ASSERT_TRUE(ok(remote));
      EXPECT_EQ(remote->size, size);
      EXPECT_EQ(remote->notifications, flags);
      const std::uint64_t value = 77 * round + rt.rank();
      ASSERT_TRUE(ok(rt.put(&value, {next_of(rt), 1, size - 8}, 8)));
      EXPECT_TRUE(fails(rt.put(&value, {next_of(rt), 1, size - 7}, 8), Code::invalid_offset));
      ASSERT_TRUE(ok(rt.fence_all(kPatience)));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      EXPECT_EQ(segment->as<std::uint64_t>().back(), 77 * round + previous_of(rt));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      ASSERT_TRUE(ok(rt.delete_segment(1)));
    }
  });
}

TEST_P(Segments, AutomaticIdsAreTheLowestFree) {
  run([](Runtime& rt) {
    for (SegmentId i = 0; i < 5; ++i) {
      auto segment = rt.create_segment({.size = 8});
      ASSERT_TRUE(ok(segment));
      EXPECT_EQ(segment->id, kFirstAutomaticSegment + i);
    }
    ASSERT_TRUE(ok(rt.delete_segment(kFirstAutomaticSegment + 2)));
    EXPECT_EQ(rt.create_segment({.size = 8}).value_or({}).id, kFirstAutomaticSegment + 2);
    ASSERT_TRUE(ok(rt.create_segment({.size = 8, .id = 3})));
    EXPECT_EQ(rt.segments(), (std::vector<SegmentId>{3, 1024, 1025, 1026, 1027, 1028}));
    EXPECT_EQ(rt.segment(1025).value_or({}).size, 8u);
    EXPECT_TRUE(fails(rt.segment(1029), Code::invalid_segment, "1029"));
  });
}

TEST_P(Segments, HundredsAtOnce) {
  run([](Runtime& rt) {
    constexpr SegmentId kMany = 300;
    std::vector<Segment> all;
    for (SegmentId id = 0; id < kMany; ++id) {
      auto segment = rt.create_segment({.size = 8, .id = id, .notifications = 4});
      ASSERT_TRUE(ok(segment));
      all.push_back(*segment);
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    std::vector<std::uint64_t> values(kMany);
    for (SegmentId id = 0; id < kMany; ++id) {
      values[id] = 1000 * rt.rank() + id;
      ASSERT_TRUE(ok(rt.put(&values[id], {next_of(rt), id, 0}, 8)));
    }
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (const Segment& segment : all) EXPECT_EQ(segment.as<std::uint64_t>()[0], 1000 * previous_of(rt) + segment.id);
  });
}

TEST_P(Segments, ADeletedOneIsGoneForAll) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
    std::uint64_t value = 1;
    ASSERT_TRUE(ok(rt.put(&value, {next_of(rt), 0, 0}, 8)));
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(rt.delete_segment(0)));
    EXPECT_TRUE(fails(rt.delete_segment(0), Code::invalid_segment, "segment 0"));
    EXPECT_TRUE(fails(rt.wait_some(0, 0, 1, Timeout::test()), Code::invalid_segment));
    EXPECT_TRUE(fails(rt.reset(0, 0), Code::invalid_segment));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_TRUE(fails(rt.remote_segment(next_of(rt), 0, kPatience), Code::invalid_segment));
    EXPECT_TRUE(fails(rt.fetch_add({next_of(rt), 0, 0}, value, kPatience), Code::invalid_segment));
    // The call says so or, where only the target can know, the queue.
    const auto refused = [&](const Status& posted) {
      const Status done = rt.queue().wait(Completion::remote, kPatience);
      return fails(posted.ok() ? done : posted, posted.ok() ? Code::peer_failed : Code::invalid_segment,
                   "invalid segment");
    };
    EXPECT_TRUE(refused(rt.put(&value, {next_of(rt), 0, 0}, 8)));
    EXPECT_TRUE(refused(rt.get(&value, {next_of(rt), 0, 0}, 8)));
    EXPECT_TRUE(refused(rt.notify(next_of(rt), 0, {.id = 0})));
    EXPECT_TRUE(
        refused(rt.accumulate({.op = Reduction::sum, .type = DataType::uint64}, &value, {next_of(rt), 0, 0}, 8)));
  });
}

class SegmentLimit : public testing::TestWithParam<SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, SegmentLimit, testing::Values(SimulatedDevice::direct, SimulatedDevice::shm));

TEST_P(SegmentLimit, IsKeptAndFreedAgain) {
  run_ranks(2, {.device = GetParam(), .runtime = {.timeout = kPatience, .segment_limit = 3}}, [](Runtime& rt) {
    for (SegmentId id = 0; id < 3; ++id) ASSERT_TRUE(ok(rt.create_segment({.size = 1, .id = id})));
    EXPECT_TRUE(fails(rt.create_segment({.size = 1, .id = 9}), Code::limit, "3 segments"));
    EXPECT_TRUE(fails(rt.create_segment({.size = 1}), Code::limit, "3 segments"));
    ASSERT_TRUE(ok(rt.delete_segment(1)));
    EXPECT_TRUE(ok(rt.create_segment({.size = 1, .id = 9})));
  });
}

class SegmentTraffic : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, SegmentTraffic, testing::ValuesIn(worlds({3})), name_of_param);

// What a call may say of a segment that comes and goes; a queue says it of an operation that failed on its way.
bool expected_outcome(const Status& status) {
  const auto mentions = [&](std::string_view what) { return status.to_string().find(what) != std::string::npos; };
  return status.ok() || mentions("invalid segment") || mentions("invalid offset") || mentions("invalid notification");
}

TEST_P(SegmentTraffic, PeersMayKnockWhileSegmentsComeAndGo) {
  std::atomic<bool> ended{false};
  const int rounds = is_delayed(GetParam()) ? 300 : 2000;
  run([&](Runtime& rt) {
    const auto owner_turns = [&] {
      for (int round = 0; round < rounds; ++round) {
        auto segment = rt.create_segment({.size = std::size_t(64 + 4096 * (round % 5)),
                                          .id = SegmentId(round % 2),
                                          .notifications = std::uint32_t(16 + 2000 * (round % 3))});
        ASSERT_TRUE(ok(segment));
        ASSERT_TRUE(ok(rt.delete_segment(segment->id)));
      }
    };
    if (rt.rank() == 0) {
      owner_turns();
      ended = true;
      return;
    }
    auto queue = *rt.create_queue(16);
    std::uint64_t value = 1, back = 0;
    for (int turn = 0; !ended.load(); ++turn) {
      const SegmentId id = SegmentId(turn % 2);
      const GlobalAddress place{0, id, 16 * std::uint64_t{rt.rank()}};
      const Status outcomes[] = {
          rt.put(&value, place, 8, *queue),
          rt.put_notify(&value, place, 8, {.id = rt.rank()}, *queue),
          rt.get(&back, place, 8, *queue),
          rt.fetch_add(place + 8, value, kPatience).status(),
          rt.accumulate({.op = Reduction::sum, .type = DataType::uint64}, &value, place, 8, *queue),
          rt.notify(0, id, {.id = rt.rank()}, *queue),
          queue->wait(Completion::remote, kPatience)};
      for (const Status& outcome : outcomes) ASSERT_TRUE(expected_outcome(outcome)) << outcome.to_string();
      let_others_run();  // refused calls wait for nothing, and a fibre goes on until it waits
    }
  });
}

TEST_P(SegmentTraffic, EachRoundHasANewSegmentUnderTheSameId) {
  run([](Runtime& rt) {
    // Each round the segment is another one, and a peer that still has the old one in mind must notice.
    for (std::uint32_t round = 1; round <= 100; ++round) {
      ASSERT_TRUE(ok(rt.create_segment({.size = 64 * round, .id = 2, .notifications = 8}, rt.world(), kPatience)));
      const std::uint64_t value = round;
      ASSERT_TRUE(ok(rt.put_notify(&value, {next_of(rt), 2, 64 * round - 8}, 8, {.id = 1, .value = round})));
      ASSERT_TRUE(ok(rt.wait_some(2, 0, 8, kPatience)));
      EXPECT_EQ(rt.reset(2, 1).value_or(0), round);
      ASSERT_TRUE(ok(rt.fence_all(kPatience)));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      ASSERT_TRUE(ok(rt.delete_segment(2)));
    }
  });
}

}  // namespace
}  // namespace polder::test
