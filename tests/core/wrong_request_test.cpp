// Requests whose lengths, widths or numbers make no sense: they are refused, and nothing is touched.
#include "core/emulate/one_sided_message.hpp"
#include "core/engine/engine.hpp"
#include "ranks.hpp"

namespace polder::test {
namespace {

using core::OneSidedHead;
using core::OneSidedKind;

constexpr SegmentId kSegment = 5;
constexpr std::uint64_t kSize = 256;

struct Wrong {
  const char* what;
  OneSidedHead request;
  std::size_t body = 0;  // bytes that come with it
};

OneSidedHead head(OneSidedKind kind, std::uint64_t bytes) {
  OneSidedHead head;
  head.kind = std::uint8_t(kind);
  head.segment = kSegment;
  head.bytes = bytes;
  return head;
}

OneSidedHead accumulate(std::uint64_t bytes, Reduction op = Reduction::sum, DataType type = DataType::int64) {
  OneSidedHead request = head(OneSidedKind::accumulate, bytes);
  request.reduction = std::uint8_t(op);
  request.type = std::uint8_t(type);
  return request;
}

OneSidedHead atomic(std::uint8_t width, std::uint64_t bytes, AtomicOp op = AtomicOp::fetch_add,
                    std::uint64_t offset = 0) {
  OneSidedHead request = head(OneSidedKind::update, bytes);
  request.atomic = std::uint8_t(op);
  request.width = width;
  request.offset = offset;
  request.operand = 1;
  return request;
}

std::vector<Wrong> wrong_requests() {
  return {
      {"an accumulate that brings more than it says", accumulate(8), 128},
      {"one that brings less", accumulate(128), 8},
      {"one of half an element", accumulate(12), 12},
      {"an operation that is not defined for the type", accumulate(64, Reduction::bit_and, DataType::float64), 64},
      {"a type that does not exist", accumulate(64, Reduction::sum, DataType(99)), 64},
      {"an operation that does not exist", accumulate(64, Reduction(99)), 64},
      {"an atomic of three bytes", atomic(3, 3)},
      {"an atomic of no bytes", atomic(0, 0)},
      {"one wider than it says, at the end", atomic(8, 4, AtomicOp::fetch_add, kSize - 4)},
      {"an atomic that does not exist", atomic(8, 8, AtomicOp(77))},
      {"a put that brings more than it says", head(OneSidedKind::put, 8), 64},
      {"a get of more than a message holds", head(OneSidedKind::get, std::uint64_t{1} << 40)},
      {"a kind that does not exist", head(OneSidedKind(99), 8), 8},
  };
}

TEST(WrongRequest, ChangesNothing) {
  run_ranks(2, {.device = SimulatedDevice::messages, .runtime = {.timeout = kPatience}}, [](Runtime& rt) {
    auto segment = rt.create_segment({.size = kSize, .id = kSegment}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    core::Engine& engine = rt.engine();
    const Rank other = 1 - rt.rank();
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 0) {
      auto found = engine.peer_segments().resolve(other, kSegment, kPatience);
      ASSERT_TRUE(ok(found));
      const std::vector<std::byte> body(512, std::byte{0x11});
      for (Wrong& wrong : wrong_requests()) {
        wrong.request.generation = (*found)->generation;
        const auto sent = engine.outside().device->send(other, core::number::kOneSided, core::bytes_of(wrong.request),
                                                        std::span(body).first(wrong.body));
        ASSERT_TRUE(ok(sent)) << wrong.what;
      }
      // Behind all of them, and carried out.
      EXPECT_EQ(rt.fetch_add({other, kSegment, kSize - 8}, std::uint64_t{7}, kPatience).value_or(99), 0u);
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 0) return;
    std::vector<std::uint64_t> expected(kSize / 8, 0);
    expected.back() = 7;
    const auto words = segment->as<std::uint64_t>();
    EXPECT_EQ(std::vector<std::uint64_t>(words.begin(), words.end()), expected);
  });
}

}  // namespace
}  // namespace polder::test
