// Requests between runtimes: each is completed exactly once, by a reply, by the end of the peer, or by the end of its
// own runtime; and what comes malformed is refused.
#include "core/engine/engine.hpp"
#include "core/message/reply.hpp"
#include "core/message/requests.hpp"
#include "core/ranks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace polder::test {
namespace {

using core::Caller;
using core::Decoder;
using core::Engine;
using core::MessageNumber;
using core::Peer;
using core::Request;
using core::RequestHead;
using core::Requests;

constexpr MessageNumber kSquare = core::kTaskNumbers.at(0), kLater = core::kTaskNumbers.at(1),
                        kNever = core::kTaskNumbers.at(2), kCount = core::kTaskNumbers.at(3);

struct Number : RequestHead {
  std::uint64_t value = 0;
};

// Told once, as everything that completes.
class Told final : public device::CompletionSink {
 public:
  void local() override { locals.fetch_add(1); }
  void remote(const Status& status) override {
    code = status.code();
    remotes.fetch_add(1);
  }
  std::atomic<int> locals{0}, remotes{0};
  std::atomic<Code> code{Code::ok};
};

Peer& peer_of(Runtime& rt, Rank rank) {
  auto peer = rt.engine().peers().connect(rank, kPatience);
  EXPECT_TRUE(ok(peer));
  return **peer;
}

Status call(Runtime& rt, Rank rank, MessageNumber number, std::uint64_t value, Told& told,
            std::span<std::byte> answer) {
  Number head;
  head.value = value;
  Peer& peer = peer_of(rt, rank);
  Engine& engine = rt.engine();
  return engine.peers().post_until_accepted(
      peer,
      [&] {
        return engine.requests().call(peer, number, head, {},
                                      {.completion = &told, .data = answer.data(), .bytes = answer.size()});
      },
      kPatience);
}

Status wait_for(Runtime& rt, const Told& told) {
  return rt.engine().progress().wait([&] { return told.remotes.load() != 0; }, kPatience);
}

std::span<std::byte> bytes_of(std::uint64_t& word) {
  return std::as_writable_bytes(std::span(&word, 1));
}

class RequestsBetween : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, RequestsBetween, testing::ValuesIn(worlds({2, 4})), name_of_param);

TEST_P(RequestsBetween, AreAnsweredEachOnce) {
  run([](Runtime& rt) {
    Requests& requests = rt.engine().requests();
    requests.serve(kSquare, [&](const Request& request) {
      Number asked;
      Decoder decoder(request.message);
      if (!decoder.take(asked)) return requests.reply(request.caller, Code::invalid_size);
      const std::uint64_t square = asked.value * asked.value;
      requests.reply(request.caller, Code::ok, core::bytes_of(square));
    });
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    constexpr std::size_t kCalls = 300;  // more than find room at once
    std::vector<Told> told(kCalls);
    std::vector<std::uint64_t> squares(kCalls);
    for (std::size_t i = 0; i < kCalls; ++i)
      ASSERT_TRUE(ok(call(rt, Rank(i % rt.size()), kSquare, i, told[i], bytes_of(squares[i]))));
    for (std::size_t i = 0; i < kCalls; ++i) {
      ASSERT_TRUE(ok(wait_for(rt, told[i])));
      EXPECT_EQ(told[i].locals.load(), 1);
      EXPECT_EQ(told[i].remotes.load(), 1);
      EXPECT_EQ(told[i].code.load(), Code::ok);
      EXPECT_EQ(squares[i], i * i);
    }
  });
}

// These say that something is still under way, or was not posted: of a request that has ended they would be wrong.
TEST_P(RequestsBetween, ThatEndAreNoneThatMayBeAwaitedOrRepeated) {
  run([](Runtime& rt) {
    Requests& requests = rt.engine().requests();
    requests.serve(kSquare, [&](const Request& request) {
      Number asked;
      Decoder decoder(request.message);
      requests.reply(request.caller, decoder.take(asked) ? Code(asked.value) : Code::system);
    });
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (const Code code : {Code::timeout, Code::queue_full, Code::invalid_offset}) {
      Told told;
      ASSERT_TRUE(ok(call(rt, next_of(rt), kSquare, std::uint64_t(code), told, {})));
      ASSERT_TRUE(ok(wait_for(rt, told)));
      EXPECT_EQ(told.code.load(), code == Code::invalid_offset ? code : Code::peer_failed);
    }
  });
}

TEST_P(RequestsBetween, MayBeAnsweredLaterByAnotherThread) {
  run([](Runtime& rt) {
    Requests& requests = rt.engine().requests();
    std::atomic<bool> asked{false};
    Caller caller;
    requests.serve(kLater, [&](const Request& request) {
      caller = request.caller;
      asked.store(true);
    });
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    Told told;
    std::uint64_t answer = 0;
    ASSERT_TRUE(ok(call(rt, next_of(rt), kLater, 0, told, bytes_of(answer))));
    ASSERT_TRUE(ok(rt.engine().progress().wait([&] { return asked.load(); }, kPatience)));
    Thread([&] {
      const std::uint64_t mine = 70 + rt.rank();
      requests.reply(caller, Code::ok, core::bytes_of(mine));
    }).join();
    ASSERT_TRUE(ok(wait_for(rt, told)));
    EXPECT_EQ(answer, 70 + next_of(rt));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(RequestsBetween, FailWhereTheReplyDoesNotFitWhatWasExpected) {
  run([](Runtime& rt) {
    Requests& requests = rt.engine().requests();
    requests.serve(kCount, [&](const Request& request) {
      const std::uint32_t half = 1;
      requests.reply(request.caller, Code::ok, core::bytes_of(half));
    });
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    Told told;
    std::uint64_t answer = 7;
    ASSERT_TRUE(ok(call(rt, next_of(rt), kCount, 0, told, bytes_of(answer))));
    ASSERT_TRUE(ok(wait_for(rt, told)));
    EXPECT_EQ(told.code.load(), Code::system);
    EXPECT_EQ(answer, 7u) << "nothing was written";
  });
}

TEST_P(RequestsBetween, EndWithTheirRuntime) {
  std::vector<Told> told(GetParam().ranks);
  std::vector<std::uint64_t> answers(GetParam().ranks);
  run([&](Runtime& rt) {
    rt.engine().requests().serve(kNever, [](const Request&) {});
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(call(rt, next_of(rt), kNever, 0, told[rt.rank()], bytes_of(answers[rt.rank()]))));
  });
  for (const Told& each : told) {
    EXPECT_EQ(each.remotes.load(), 1);
    EXPECT_TRUE(each.code.load() == Code::closed || each.code.load() == Code::peer_failed);
  }
}

class RequestsToTheDead : public testing::TestWithParam<SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, RequestsToTheDead,
                         testing::Values(SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages,
                                         SimulatedDevice::shm));

TEST_P(RequestsToTheDead, FailOnceThePeerIsGone) {
  constexpr Rank kDead = 1;
  Simulation simulation(2, {.device = GetParam(), .detection_ns = 5'000'000, .runtime = {.timeout = kPatience}});
  std::atomic<bool> through{false}, seen{false};
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    rt.engine().requests().serve(kNever, [](const Request&) {});
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == kDead) {
      through.store(true);
      while (!seen.load()) rest(1ms);
      return;
    }
    while (!through.load()) rest(1ms);
    Told told;
    std::uint64_t answer = 0;
    EXPECT_TRUE(ok(call(rt, kDead, kNever, 0, told, bytes_of(answer))));
    simulation.kill(kDead);
    EXPECT_TRUE(ok(wait_for(rt, told)));
    EXPECT_EQ(told.code.load(), Code::peer_failed);
    EXPECT_EQ(told.remotes.load(), 1);
    EXPECT_EQ(told.locals.load(), 1);
    seen.store(true);
  })));
}

// ---- taking messages apart ----

TEST(DecoderTest, TakesWhatIsThereAndNothingBeyond) {
  const std::array<std::uint32_t, 3> words{1, 2, 3};
  Decoder decoder(std::as_bytes(std::span(words)));
  std::uint64_t two = 0;
  std::uint32_t one = 0;
  EXPECT_TRUE(decoder.take(two));
  EXPECT_EQ(decoder.rest().size(), 4u);
  EXPECT_FALSE(decoder.take(two)) << "only four bytes are left";
  EXPECT_TRUE(decoder.take(one));
  EXPECT_EQ(one, 3u);
  EXPECT_TRUE(decoder.done());
  EXPECT_FALSE(decoder.take(one));
}

TEST(DecoderTest, KnowsWhichEnumeratorsThereAre) {
  AtomicOp op = AtomicOp::swap;
  EXPECT_TRUE(core::decode_enum<AtomicOp>(5, AtomicOp::fetch_xor, op));
  EXPECT_EQ(op, AtomicOp::fetch_xor);
  EXPECT_FALSE(core::decode_enum<AtomicOp>(6, AtomicOp::fetch_xor, op));
  EXPECT_EQ(op, AtomicOp::fetch_xor);
}

TEST(ReplyTest, RefusesWhatIsNone) {
  core::ReplyHead head;
  Code code = Code::ok;
  std::span<const std::byte> data;
  std::array<std::byte, sizeof head + 8> message{};
  EXPECT_FALSE(core::decode_reply({message.data(), sizeof head - 1}, head, code, data)) << "too short";
  EXPECT_TRUE(core::decode_reply(message, head, code, data));
  EXPECT_EQ(data.size(), 8u);
  const auto set_code = [&](std::uint32_t value) { std::memcpy(message.data() + 8, &value, sizeof value); };
  set_code(std::uint32_t(Code::peer_failed));
  EXPECT_FALSE(core::decode_reply(message, head, code, data)) << "an error brings no data";
  EXPECT_TRUE(core::decode_reply({message.data(), sizeof head}, head, code, data));
  EXPECT_EQ(code, Code::peer_failed);
  for (const std::uint32_t wrong : {21u, 256u, ~0u}) {
    set_code(wrong);
    EXPECT_FALSE(core::decode_reply({message.data(), sizeof head}, head, code, data)) << "there is no code " << wrong;
  }
}

}  // namespace
}  // namespace polder::test
