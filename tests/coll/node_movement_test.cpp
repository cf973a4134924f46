// Collectives that only move what members of one node have: in private memory, in segments, and partly; over desks and in place.
#include "core/ranks.hpp"
#include "node_buffers.hpp"
#include "util/environment.hpp"
#include "util/random.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace polder::test {
namespace {

class NodeMovementTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, NodeMovementTest, testing::ValuesIn(worlds({2, 3, 8})), name_of_param);

// Desks are written past the cache, as between cores that are far from each other.
class NodeMovementPastCacheTest : public NodeMovementTest {
  const util::ScopedEnvironment copies_{"POLDER_COLL_COPIES", "past_cache"};
};
INSTANTIATE_TEST_SUITE_P(Worlds, NodeMovementPastCacheTest, testing::ValuesIn(worlds({2, 3, 8})), name_of_param);

// Private memory is read where it lies, by the kernel.
class NodeMovementOnceTest : public NodeMovementTest {
  const util::ScopedEnvironment copies_{"POLDER_COLL_PRIVATE", "once"};
};
INSTANTIATE_TEST_SUITE_P(Worlds, NodeMovementOnceTest, testing::ValuesIn(worlds({2, 3, 8})), name_of_param);

void check_movement(Runtime& rt) {
  const Rank ranks = rt.size();
  for (const Placed placed : kPlaces) {
    Buffers memory(rt, placed);
    for (const std::size_t count : {1, 6, 7, 5000, 20'000}) {
      const std::vector<std::size_t> parts(ranks, 8 * count);
      const Rank root = Rank(count) % ranks;
      memory.fill(count * ranks);
      if (rt.rank() == root) std::copy_n(memory.send.begin(), count, memory.receive.begin());
      ASSERT_TRUE(ok(broadcast(rt.world(), root, memory.receive.data(), 8 * count, kPatience)));
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(memory.receive[i], word(root, i)) << "broadcast " << i;
      memory.fill(count * ranks);
      ASSERT_TRUE(ok(allgather(rt.world(), parts, memory.send.data(), memory.receive.data(), kPatience)));
      for (std::size_t i = 0; i < count * ranks; ++i)
        ASSERT_EQ(memory.receive[i], word(Rank(i / count), i % count)) << "allgather " << i;
      memory.fill(count * ranks);
      ASSERT_TRUE(ok(gather(rt.world(), root, parts, memory.send.data(), memory.receive.data(), kPatience)));
      for (std::size_t i = 0; i < count * ranks && rt.rank() == root; ++i)
        ASSERT_EQ(memory.receive[i], word(Rank(i / count), i % count)) << "gather " << i;
      ASSERT_TRUE(ok(scatter(rt.world(), root, parts, memory.send.data(), memory.receive.data(), kPatience)));
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(memory.receive[i], word(root, rt.rank() * count + i)) << "scatter " << i;
      ASSERT_TRUE(ok(alltoall(rt.world(), 8 * count, memory.send.data(), memory.receive.data(), kPatience)));
      for (std::size_t i = 0; i < count * ranks; ++i)
        ASSERT_EQ(memory.receive[i], word(Rank(i / count), rt.rank() * count + i % count)) << "alltoall " << i;
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  }
}
TEST_P(NodeMovementTest, AllOfOneSize) {
  run(check_movement);
}
TEST_P(NodeMovementPastCacheTest, AllOfOneSize) {
  run(check_movement);
}
TEST_P(NodeMovementOnceTest, AllOfOneSize) {
  run(check_movement);
}

// Member a sends a * 1000 + b words to member b, in blocks that lie the other way round.
void check_blocks_that_differ(Runtime& rt) {
  const Rank ranks = rt.size(), me = rt.rank();
  for (const Placed placed : kPlaces) {
    Buffers memory(rt, placed);
    for (const std::size_t unit : {0, 1, 800, 801, 802}) {  // the third long one finds that all read each other
      const auto words = [unit](Rank from, Rank to) { return from * unit + to; };
      std::vector<Part> sent(ranks), received(ranks);
      std::size_t out = 0, in = 0;
      for (Rank each = ranks; each-- > 0;) {
        sent[each] = {8 * out, 8 * words(me, each)}, received[each] = {8 * in, 8 * words(each, me)};
        for (std::size_t i = 0; i < words(me, each); ++i) memory.send[out++] = word(me, each * 10'000 + i);
        in += words(each, me);
      }
      ASSERT_TRUE(ok(alltoallv(rt.world(), memory.send.data(), sent, memory.receive.data(), received, kPatience)));
      for (Rank from = 0; from < ranks; ++from)
        for (std::size_t i = 0; i < words(from, me); ++i)
          ASSERT_EQ(memory.receive[received[from].offset / 8 + i], word(from, me * 10'000 + i));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  }
}
TEST_P(NodeMovementTest, AlltoallOfBlocksThatDiffer) {
  run(check_blocks_that_differ);
}
TEST_P(NodeMovementOnceTest, AlltoallOfBlocksThatDiffer) {
  run(check_blocks_that_differ);
}

// To each member in turn, so that the same one asks, and is asked, and back; some have nothing to give, the root among them.
// `words`: of parts. Those of up to 6 are shown in lines, which hold several of a scatter, and none is cut.
void check_parts_that_differ(Runtime& rt, std::span<const std::size_t> words) {
  const Rank ranks = rt.size();
  for (const Placed placed : kPlaces) {
    Buffers memory(rt, placed);
    for (Rank turn = 0; turn < Rank(words.size()) * ranks; ++turn) {
      const Rank root = turn % ranks;
      std::vector<std::size_t> parts(ranks);
      for (Rank member = 0; member < ranks; ++member) parts[member] = 8 * words[(member + turn) % words.size()];
      const std::size_t mine = parts[rt.rank()] / 8;
      memory.fill(mine);
      ASSERT_TRUE(ok(gather(rt.world(), root, parts, memory.send.data(), memory.receive.data(), kPatience)));
      std::size_t at = 0;
      for (Rank member = 0; member < ranks && rt.rank() == root; ++member)
        for (std::size_t i = 0; i < parts[member] / 8; ++i)
          ASSERT_EQ(memory.receive[at++], word(member, i)) << "turn " << turn << ", from " << member << ", " << i;
      std::fill_n(memory.send.begin(), mine, 0);
      ASSERT_TRUE(ok(scatter(rt.world(), root, parts, memory.receive.data(), memory.send.data(), kPatience)));
      for (std::size_t i = 0; i < mine; ++i) ASSERT_EQ(memory.send[i], word(rt.rank(), i)) << "back, turn " << turn;
    }
  }
}

constexpr std::size_t kLong[] = {0, 5000, 10'000}, kShort[] = {0, 1, 6, 0, 2, 5}, kEmpty[] = {0};

TEST_P(NodeMovementTest, GatherAndScatterOfPartsThatDiffer) {
  run([](Runtime& rt) { check_parts_that_differ(rt, kLong); });
}
TEST_P(NodeMovementOnceTest, GatherAndScatterOfPartsThatDiffer) {
  run([](Runtime& rt) { check_parts_that_differ(rt, kLong); });
}
TEST_P(NodeMovementTest, GatherAndScatterOfShortPartsThatDiffer) {
  run([](Runtime& rt) { check_parts_that_differ(rt, kShort); });
}
TEST_P(NodeMovementTest, GatherAndScatterOfNothing) {
  run([](Runtime& rt) { check_parts_that_differ(rt, kEmpty); });
}

// Whoever is through with a call writes its vector anew at once: nobody may read it any more then. Resumed after timeouts.
void check_gathers_in_a_row(Runtime& rt) {
  constexpr std::size_t kWords = 5000;
  const Rank ranks = rt.size();
  const std::vector<std::size_t> parts(ranks, 8 * kWords);
  std::vector<std::uint64_t> mine(kWords), all(ranks * kWords);
  for (std::uint64_t round = 0; round < 60; ++round) {
    const Rank root = Rank(util::mix(round) % ranks);
    if (util::mix(round * 100 + rt.rank()) % 8 == 0) rest(100us);
    std::fill(mine.begin(), mine.end(), word(rt.rank(), round));
    const Timeout timeout = round % 3 == 0 ? Timeout::test() : Timeout(50us);
    Status status;
    while ((status = gather(rt.world(), root, parts, mine.data(), all.data(), timeout)).timed_out()) let_others_run();
    std::fill(mine.begin(), mine.end(), 0);
    ASSERT_TRUE(ok(status));
    std::size_t wrong = 0;
    for (std::size_t i = 0; rt.rank() == root && i < all.size(); ++i) wrong += all[i] != word(Rank(i / kWords), round);
    EXPECT_EQ(wrong, 0u) << "round " << round;  // and the others go on: nobody waits for a root that is gone
  }
}

TEST_P(NodeMovementTest, GathersInARowAndTimeouts) {
  run(check_gathers_in_a_row);
}
TEST_P(NodeMovementOnceTest, GathersInARowAndTimeouts) {
  run(check_gathers_in_a_row);
}

// Of long gathers a root waits for all and the others for it: two that take themselves for the root wait for each other, and so do two
// that take each other for it. All say so instead of waiting to the timeout.
TEST(NodeMovementMismatch, RootsOfLongGathersAreCompared) {
  using Roots = std::array<Rank, 3>;  // as each member has it
  for (const SimulatedDevice device : {SimulatedDevice::direct, SimulatedDevice::shm})
    for (const Roots roots : {Roots{0, 1, 0}, Roots{0, 1, 2}, Roots{1, 0, 0}, Roots{1, 2, 0}, Roots{2, 2, 1}})
      run_ranks(3, World{device, 3}.options(), [&](Runtime& rt) {
        auto group = rt.create_group(std::vector<Rank>{0, 1, 2});
        ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
        const std::vector<std::size_t> parts(3, 40'000);
        std::vector<std::byte> mine(40'000), all(120'000);
        EXPECT_TRUE(fails(gather(**group, roots[rt.rank()], parts, mine.data(), all.data(), kPatience),
                          Code::invalid_argument, "root"))
            << rt.rank() << " of " << roots[0] << roots[1] << roots[2];
        ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      });
}

}  // namespace
}  // namespace polder::test
