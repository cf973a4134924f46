// Wrong arguments: each is refused with the code and the words that fit, and nothing changes.
#include "core/direct/accumulate_direct.hpp"
#include "core/ranks.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace polder::test {
namespace {

constexpr std::size_t kSize = 256;
constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
constexpr std::byte kUntouched{0x5a};

// Every test runs in a world in which the peer's segment 1 holds one and the same byte, and ends with a look whether it
// still does.
class Arguments : public OnRanks {
 protected:
  void run_untouched(const std::function<void(Runtime&, Rank peer)>& body) const {
    run([&](Runtime& rt) {
      auto segment = rt.create_segment({.size = kSize, .id = 1, .notifications = 10});
      ASSERT_TRUE(ok(segment));
      std::fill_n(segment->data, kSize, kUntouched);
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      body(rt, next_of(rt));
      EXPECT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience))) << "nothing was posted, so nothing failed";
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      for (std::size_t i = 0; i < kSize; ++i) ASSERT_EQ(segment->data[i], kUntouched) << i;
      EXPECT_TRUE(fails(rt.wait_some(1, 0, 10, Timeout::test()), Code::timeout));
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Worlds, Arguments, testing::ValuesIn(worlds({1, 2})), name_of_param);

TEST_P(Arguments, Ranks) {
  run_untouched([](Runtime& rt, Rank) {
    std::array<std::byte, 8> bytes{};
    const std::uint64_t operand = 1;
    const std::string number = "rank " + std::to_string(rt.size());
    for (const Rank wrong : {rt.size(), ~Rank{0}}) {
      EXPECT_TRUE(fails(rt.put(bytes.data(), {wrong, 1, 0}, 8), Code::invalid_rank, "rank " + std::to_string(wrong)));
      EXPECT_TRUE(fails(rt.get(bytes.data(), {wrong, 1, 0}, 8), Code::invalid_rank, "rank " + std::to_string(wrong)));
    }
    EXPECT_TRUE(fails(rt.notify(rt.size(), 1, {.id = 0}), Code::invalid_rank, number));
    EXPECT_TRUE(fails(rt.put_notify(bytes.data(), {rt.size(), 1, 0}, 8, {.id = 0}), Code::invalid_rank, number));
    EXPECT_TRUE(fails(rt.fetch_add({rt.size(), 1, 0}, operand), Code::invalid_rank, number));
    EXPECT_TRUE(fails(rt.accumulate({}, bytes.data(), {rt.size(), 1, 0}, 8), Code::invalid_rank, number));
    EXPECT_TRUE(fails(rt.send(rt.size(), 0, {}), Code::invalid_rank, number));
    EXPECT_TRUE(fails(rt.remote_segment(rt.size(), 1, kPatience), Code::invalid_rank, number));
    EXPECT_TRUE(fails(rt.fence(rt.size(), kPatience), Code::invalid_rank, number));
    EXPECT_TRUE(fails(rt.mark_failed(rt.size()), Code::invalid_rank, number));
    EXPECT_TRUE(fails(rt.kill(rt.size(), kPatience), Code::invalid_rank, number));
    EXPECT_EQ(rt.health(rt.size()), Health::failed);
  });
}

TEST_P(Arguments, Segments) {
  run_untouched([](Runtime& rt, Rank peer) {
    std::array<std::byte, 8> bytes{};
    for (const SegmentId wrong : {SegmentId{0}, SegmentId{999}, kSegmentIdLimit, kAnySegment}) {
      const std::string number = "segment " + std::to_string(wrong);
      EXPECT_TRUE(fails(rt.put(bytes.data(), {peer, wrong, 0}, 8), Code::invalid_segment, number));
      EXPECT_TRUE(fails(rt.get(bytes.data(), {peer, wrong, 0}, 8), Code::invalid_segment, number));
      EXPECT_TRUE(fails(rt.notify(peer, wrong, {.id = 0}), Code::invalid_segment, number));
      EXPECT_TRUE(fails(rt.fetch_add({peer, wrong, 0}, 1), Code::invalid_segment, number));
      EXPECT_TRUE(fails(rt.accumulate({}, bytes.data(), {peer, wrong, 0}, 8), Code::invalid_segment, number));
      EXPECT_TRUE(fails(rt.wait_some(wrong, 0, 1, Timeout::test()), Code::invalid_segment, number));
      EXPECT_TRUE(fails(rt.reset(wrong, 0), Code::invalid_segment, number));
      EXPECT_TRUE(fails(rt.remote_segment(peer, wrong, kPatience), Code::invalid_segment, number));
      EXPECT_TRUE(fails(rt.delete_segment(wrong), Code::invalid_segment, number));
    }
    EXPECT_TRUE(fails(rt.put_notify(bytes.data(), {peer, 1, 0}, 8, {.id = 0, .segment = 7}), Code::invalid_segment,
                      "segment 7"));
    EXPECT_TRUE(fails(rt.get_notify(bytes.data(), {peer, 1, 0}, 8, {.id = 0}), Code::invalid_segment));
    EXPECT_TRUE(fails(rt.get_notify(bytes.data(), {peer, 1, 0}, 8, {.id = 0, .segment = 7}), Code::invalid_segment,
                      "segment 7"));
    EXPECT_TRUE(fails(rt.fence_segment(kSegmentIdLimit, kPatience), Code::invalid_segment));
    EXPECT_TRUE(fails(rt.delete_segment(kSegmentIdLimit - 1), Code::invalid_segment)) << "the memory of a group";
    EXPECT_TRUE(fails(rt.create_segment({.size = 8, .id = 1}), Code::exists, "segment 1"));
    EXPECT_TRUE(fails(rt.create_segment({.size = 8, .id = kFirstAutomaticSegment}), Code::invalid_segment, "1024"));
    EXPECT_TRUE(fails(rt.create_segment({.size = kHuge, .id = 2}), Code::invalid_size, "segment 2"));
    EXPECT_TRUE(fails(rt.create_segment({.size = 8}, rt.world(), kPatience), Code::invalid_segment));
  });
}

TEST_P(Arguments, PlacesBeyondTheSegment) {
  run_untouched([](Runtime& rt, Rank peer) {
    std::array<std::byte, kSize + 8> bytes{};
    const auto refused = [&](std::uint64_t offset, std::size_t count) {
      const GlobalAddress place{peer, 1, offset};
      EXPECT_TRUE(fails(rt.put(bytes.data(), place, count), Code::invalid_offset, std::to_string(offset)));
      EXPECT_TRUE(fails(rt.get(bytes.data(), place, count), Code::invalid_offset, std::to_string(offset)));
      EXPECT_TRUE(
          fails(rt.put_notify(bytes.data(), place, count, {.id = 1}), Code::invalid_offset, std::to_string(offset)));
      EXPECT_TRUE(fails(rt.get_notify(bytes.data(), place, count, {.id = 1, .segment = 1}), Code::invalid_offset));
    };
    refused(kSize, 1);
    refused(kSize - 7, 8);
    refused(0, kSize + 1);
    refused(kSize + 1, 0);
    refused(kHuge, 1);
    refused(kHuge - 7, 8);
    refused(kHuge - 7, 16);  // the end wraps to 8
    refused(8, kHuge - 7);
    refused(8, kHuge);
    for (const std::uint64_t offset : {std::uint64_t{kSize}, kHuge - 7, std::uint64_t{1} << 63}) {
      EXPECT_TRUE(
          fails(rt.fetch_add({peer, 1, offset}, std::uint64_t{1}), Code::invalid_offset, std::to_string(offset)));
      EXPECT_TRUE(
          fails(rt.accumulate({}, bytes.data(), {peer, 1, offset}, 8), Code::invalid_offset, std::to_string(offset)));
    }
    EXPECT_TRUE(fails(rt.accumulate({}, bytes.data(), {peer, 1, kSize - 8}, 16), Code::invalid_offset));
  });
}

TEST_P(Arguments, ShapesBeyondTheSegment) {
  run_untouched([](Runtime& rt, Rank peer) {
    std::array<std::byte, kSize> bytes{};
    constexpr auto kMost = std::numeric_limits<std::ptrdiff_t>::max();
    constexpr auto kLeast = std::numeric_limits<std::ptrdiff_t>::min();
    const std::array<std::size_t, 1> twice{2};
    const std::array<std::ptrdiff_t, 1> local{8};
    for (const std::ptrdiff_t stride :
         {std::ptrdiff_t{kSize}, std::ptrdiff_t{-8}, std::ptrdiff_t{1} << 60, -(std::ptrdiff_t{1} << 60)}) {
      const std::array<std::ptrdiff_t, 1> remote{stride};
      const Strided strided{8, twice, local, remote};
      EXPECT_TRUE(fails(rt.put(bytes.data(), {peer, 1, 0}, strided), Code::invalid_offset)) << stride;
      EXPECT_TRUE(fails(rt.accumulate({}, bytes.data(), {peer, 1, 0}, strided), Code::invalid_offset)) << stride;
    }
    for (const std::ptrdiff_t stride : {kMost, kLeast}) {
      const std::array<std::ptrdiff_t, 1> remote{stride};
      const Strided strided{8, twice, local, remote};
      EXPECT_TRUE(fails(rt.get(bytes.data(), {peer, 1, 0}, strided), Code::invalid_argument, "2^62")) << stride;
    }
    for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t(kMost), kHuge - 7})
      for (const std::ptrdiff_t at : {std::ptrdiff_t{kSize}, std::ptrdiff_t{-8}, kMost - 8, kLeast + 8}) {
        const std::array items{ListItem{0, at, 8}};
        const Shape shape{std::span<const ListItem>(items)};
        const Status put = rt.put(bytes.data(), {peer, 1, offset}, shape);
        EXPECT_TRUE(fails(put, Code::invalid_offset) || fails(put, Code::invalid_argument))
            << offset << at << put.to_string();
        const Status accumulated = rt.accumulate({}, bytes.data(), {peer, 1, offset}, shape);
        EXPECT_FALSE(accumulated.ok());
      }
    const std::array one_bad{ListItem{0, 0, 8}, ListItem{8, 8, 8}, ListItem{16, kSize - 7, 8}};
    const Shape shape{std::span<const ListItem>(one_bad)};
    EXPECT_TRUE(fails(rt.put_notify(bytes.data(), {peer, 1, 0}, shape, {.id = 1}), Code::invalid_offset));
    EXPECT_TRUE(fails(rt.accumulate({}, bytes.data(), {peer, 1, 0}, shape), Code::invalid_offset));
  });
}

TEST_P(Arguments, NullPointers) {
  run_untouched([](Runtime& rt, Rank peer) {
    const std::array items{ListItem{0, 0, 8}};
    const Shape shape{std::span<const ListItem>(items)};
    EXPECT_TRUE(fails(rt.put(nullptr, {peer, 1, 0}, 8), Code::invalid_argument, "null"));
    EXPECT_TRUE(fails(rt.get(nullptr, {peer, 1, 0}, 8), Code::invalid_argument, "null"));
    EXPECT_TRUE(fails(rt.put(nullptr, {peer, 1, 0}, shape), Code::invalid_argument, "null"));
    EXPECT_TRUE(fails(rt.put_notify(nullptr, {peer, 1, 0}, 8, {.id = 1}), Code::invalid_argument, "null"));
    EXPECT_TRUE(fails(rt.accumulate({}, nullptr, {peer, 1, 0}, 8), Code::invalid_argument, "null"));
    const double one = 1;
    EXPECT_TRUE(fails(rt.accumulate({.op = Reduction::axpy}, &one, {peer, 1, 0}, 8), Code::invalid_argument, "scale"));
    EXPECT_TRUE(ok(rt.put(nullptr, {peer, 1, 0}, 0))) << "nothing to read";
    EXPECT_TRUE(ok(rt.get(nullptr, {peer, 1, 0}, 0))) << "nothing to write";
    EXPECT_TRUE(ok(rt.accumulate({}, nullptr, {peer, 1, 0}, 0)));
  });
}

TEST_P(Arguments, Notifications) {
  run_untouched([](Runtime& rt, Rank peer) {
    const std::uint64_t value = 1;
    for (const NotificationId wrong : {NotificationId{10}, ~NotificationId{0}}) {
      const std::string number = std::to_string(wrong);
      EXPECT_TRUE(fails(rt.notify(peer, 1, {.id = wrong}), Code::invalid_notification, number));
      EXPECT_TRUE(fails(rt.put_notify(&value, {peer, 1, 0}, 8, {.id = wrong}), Code::invalid_notification, number));
      EXPECT_TRUE(fails(rt.reset(1, wrong), Code::invalid_notification, number));
      EXPECT_TRUE(fails(rt.wait_some(1, wrong, 1, Timeout::test()), Code::invalid_notification, number));
      EXPECT_TRUE(fails(rt.wait_some(1, 0, wrong + (wrong == 10), Timeout::test()), Code::invalid_notification));
    }
    EXPECT_TRUE(fails(rt.notify(peer, 1, {.id = 3, .value = 0}), Code::invalid_notification, "value"));
    EXPECT_TRUE(
        fails(rt.put_notify(&value, {peer, 1, 0}, 8, {.id = 3, .value = 0}), Code::invalid_notification, "value"));
    std::uint64_t back = 0;
    EXPECT_TRUE(
        fails(rt.get_notify(&back, {peer, 1, 0}, 8, {.id = 10, .segment = 1}), Code::invalid_notification, "10"));
    EXPECT_TRUE(fails(rt.wait_some(1, 0, 0, Timeout::test()), Code::invalid_notification));
    EXPECT_TRUE(fails(rt.wait_some(1, 9, ~NotificationId{0}, Timeout::test()), Code::invalid_notification));
  });
}

TEST_P(Arguments, AlignmentAndWidth) {
  run_untouched([](Runtime& rt, Rank peer) {
    std::array<std::byte, 32> bytes{};
    EXPECT_TRUE(fails(rt.fetch_add({peer, 1, 4}, std::uint64_t{1}), Code::invalid_alignment, "offset 4"));
    EXPECT_TRUE(fails(rt.fetch_add({peer, 1, 2}, std::uint32_t{1}), Code::invalid_alignment, "offset 2"));
    EXPECT_TRUE(fails(rt.atomic(AtomicOp::swap, {peer, 1, 0}, 3, 1, 0, kPatience), Code::invalid_size, "1, 2, 4 or 8"));
    EXPECT_TRUE(fails(rt.atomic(AtomicOp::swap, {peer, 1, 0}, 16, 1, 0, kPatience), Code::invalid_size, "16"));
    EXPECT_TRUE(fails(rt.atomic(AtomicOp::swap, {peer, 1, 0}, 0, 1, 0, kPatience), Code::invalid_size));
    if (!core::kUnalignedAccess) {
      EXPECT_TRUE(fails(rt.accumulate({}, bytes.data(), {peer, 1, 4}, 8), Code::invalid_alignment, "8 bytes"));
    }
    EXPECT_TRUE(fails(rt.accumulate({}, bytes.data(), {peer, 1, 0}, 12), Code::invalid_size, "float64"));
    EXPECT_TRUE(fails(rt.accumulate({.type = DataType::complex128}, bytes.data(), {peer, 1, 8}, 24), Code::invalid_size,
                      "complex128"));
    EXPECT_TRUE(fails(rt.accumulate({.op = Reduction::bit_or}, bytes.data(), {peer, 1, 0}, 8), Code::invalid_argument,
                      "bit_or"));
  });
}

TEST_P(Arguments, QueuesAndMessages) {
  run_untouched([](Runtime& rt, Rank peer) {
    EXPECT_TRUE(fails(rt.create_queue(0), Code::invalid_argument, "depth"));
    EXPECT_TRUE(fails(rt.register_handler(kMessageIdLimit, [](Rank, auto) {}), Code::invalid_argument, "1024"));
    EXPECT_TRUE(fails(rt.register_handler(3, {}), Code::invalid_argument, "empty"));
    EXPECT_TRUE(fails(rt.send(peer, kMessageIdLimit, {}), Code::invalid_argument, "1024"));
    const std::vector<std::byte> large(rt.max_message() + 1);
    EXPECT_TRUE(fails(rt.send(peer, 0, large), Code::invalid_size, std::to_string(large.size())));
  });
}

// Callers may have cast them from anything.
TEST_P(Arguments, Enumerators) {
  run_untouched([](Runtime& rt, Rank peer) {
    std::array<std::byte, 16> bytes{};
    const auto refused = [](const auto& outcome) { return fails(outcome, Code::invalid_argument); };
    const auto accumulate = [&](Reduction op, DataType type) {
      return rt.accumulate({.op = op, .type = type}, bytes.data(), {peer, 1, 0}, 16);
    };
    for (const unsigned wrong : {12u, 77u, 255u}) EXPECT_TRUE(refused(accumulate(Reduction::sum, DataType(wrong))));
    for (const unsigned wrong : {8u, 99u}) EXPECT_TRUE(refused(accumulate(Reduction(wrong), DataType::int32)));
    EXPECT_TRUE(refused(rt.atomic(AtomicOp(99), {peer, 1, 0}, 8, 1)));
    Post posts[3];
    posts[0].until = Until(3);
    posts[1].ordering = Ordering(4);
    Handle handle(Handle::Kind(2));
    posts[2].handle = &handle;
    for (const Post& post : posts) {
      EXPECT_TRUE(refused(rt.put(bytes.data(), {peer, 1, 0}, 8, post)));
      EXPECT_TRUE(refused(rt.get(bytes.data(), {peer, 1, 0}, 8, post)));
      EXPECT_TRUE(refused(rt.notify(peer, 1, {.id = 0}, post)));
      EXPECT_TRUE(refused(rt.put_notify(bytes.data(), {peer, 1, 0}, 8, {.id = 0}, post)));
      EXPECT_TRUE(refused(rt.accumulate({}, bytes.data(), {peer, 1, 0}, 8, post)));
      EXPECT_TRUE(refused(rt.post_fetch_add(nullptr, {peer, 1, 0}, 1, post)));
    }
    EXPECT_TRUE(refused(rt.notify(peer, 1, {.id = 0, .op = NotificationOp(2)})));
    EXPECT_TRUE(refused(rt.queue().wait(Completion(2), kPatience)));
    EXPECT_TRUE(refused(Handle().wait(Completion(2), kPatience)));
    EXPECT_TRUE(refused(rt.wait_all(Completion(9), kPatience)));
    EXPECT_TRUE(refused(rt.wait_for(peer, Completion(9), kPatience)));
    EXPECT_EQ(to_string(DataType(77)), "unknown data type");
    EXPECT_EQ(to_string(Reduction(77)), "unknown reduction");
    EXPECT_EQ(size_of(DataType(77)), 0u);
    EXPECT_FALSE(is_defined(Reduction::sum, DataType(77)));
    EXPECT_TRUE(fails(rt.kill(rt.rank(), kPatience), Code::invalid_rank)) << "abort() is for that";
  });
}

TEST(RuntimeArguments, OptionsThatDoNotExist) {
  const auto run = [](SimulationOptions options) { return Simulation(1, options).run([](Runtime&) {}); };
  EXPECT_TRUE(fails(run({.device = SimulatedDevice(4)}), Code::invalid_argument, "4"));
  EXPECT_TRUE(fails(run({.runtime = {.ordering = Ordering(9)}}), Code::invalid_argument, "9"));
  EXPECT_TRUE(fails(run({.runtime = {.helper = Helper(9)}}), Code::invalid_argument, "9"));
  EXPECT_TRUE(fails(run({.runtime = {.queue_depth = 0}}), Code::invalid_argument, "depth"));
}

}  // namespace
}  // namespace polder::test
