// Virtual times equal the closed formulas of the algorithms, also of a third of a million members.
#include "coll/algorithms/algorithms.hpp"
#include "coll/model/flow.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace polder::coll {
namespace {

constexpr LogGP kNetwork{.latency = 1.5, .overhead = 0.3, .gap = 0.1, .per_byte = 8e-5, .combining = 2e-5};
constexpr double kWay = 1.5 + 2 * 0.3;
constexpr double kG = 8e-5, kY = 2e-5;

// Of a vector of `bytes`, without content.
template <class Begin>
FlowOutcome outcome_of(Rank members, std::size_t element, Begin begin, Rank near = Slots::kNear) {
  FlowModel flow(members, {.network = kNetwork, .payload = false, .near = near, .begins = nullptr});
  auto outcome = flow.run([&](Wire& wire) {
    wire.elements.size = element;
    return begin(wire);
  });
  EXPECT_TRUE(outcome.ok()) << outcome.status().to_string();
  return outcome.ok() ? *outcome : FlowOutcome{};
}

void expect_time(double time, double formula, const char* what) {
  EXPECT_NEAR(time, formula, 1e-9 * formula) << what;
}

std::byte nothing[64];

TEST(Model, EqualsTheFormulasOfPowersOfTwo) {
  for (const Rank n : {2, 16, 256, 1024}) {
    const double lg = double(rounds_of(n)), s = 4096.0 * n;
    const std::size_t bytes = std::size_t(s), count = bytes / 8;
    expect_time(outcome_of(n, 8, [](Wire& w) { return dissemination_barrier(w); }).time, lg * kWay, "barrier");
    expect_time(outcome_of(n, 8, [](Wire& w) { return binomial_broadcast(w, 1, nothing, 64); }).time,
                lg * (kWay + 64 * kG), "broadcast");
    expect_time(outcome_of(n, 8, [](Wire& w) { return binomial_reduce(w, 0, nothing, nothing, 8); }).time,
                lg * (kWay + 64 * (kG + kY)), "reduce");
    expect_time(outcome_of(n, 8, [](Wire& w) { return doubling_allreduce(w, nothing, nothing, 8); }).time,
                lg * (kWay + 64 * (kG + kY)), "doubling");
    expect_time(outcome_of(n, 8, [&](Wire& w) { return circulant_allreduce(w, nothing, nothing, count); }).time,
                2 * lg * kWay + s * (n - 1) / n * (2 * kG + kY), "circulant");
    expect_time(outcome_of(n, 8, [&](Wire& w) { return ring_allreduce(w, nothing, nothing, count); }).time,
                2.0 * (n - 1) * (kWay + s / n * kG) + s / n * (n - 1) * kY, "ring");
    expect_time(outcome_of(n, 8, [&](Wire& w) { return bruck_allgather(w, Parts(count, n, 8), nothing); }).time,
                lg * kWay + s * (n - 1) / n * kG, "allgather");
    expect_time(outcome_of(n, 8, [&](Wire& w) { return bruck_alltoall(w, nothing, nothing, 64); }).time,
                lg * (kWay + 32.0 * n * kG), "bruck alltoall");
    expect_time(outcome_of(n, 8, [](Wire& w) { return doubling_scan(w, nothing, nothing, 8); }).time,
                lg * (kWay + 64 * (kG + kY)), "scan");
  }
}

TEST(Model, EqualsTheFormulasOfAnyNumber) {
  for (const Rank n : {3, 7, 129, 1000}) {
    const double lg = double(rounds_of(n)), s = 4096.0 * n;
    const std::size_t count = std::size_t(s) / 8;
    expect_time(outcome_of(n, 8, [](Wire& w) { return dissemination_barrier(w); }).time, lg * kWay, "barrier");
    expect_time(outcome_of(n, 8, [&](Wire& w) { return circulant_allreduce(w, nothing, nothing, count); }).time,
                2 * lg * kWay + s * (n - 1) / n * (2 * kG + kY), "circulant");
    expect_time(outcome_of(n, 8, [&](Wire& w) { return ring_allreduce(w, nothing, nothing, count); }).time,
                2.0 * (n - 1) * (kWay + s / n * kG) + s / n * (n - 1) * kY, "ring");
  }
}

TEST(Model, FewMembersInOneStep) {
  const Rank n = 8;
  const double s = 80'000;
  // The card sends one letter after the other; the last one comes last, and all others are combined by then.
  const auto whole = outcome_of(n, 8, [](Wire& w) { return whole_allreduce(w, nothing, nothing, 10'000); });
  EXPECT_EQ(whole.letters, n * (n - 1));
  EXPECT_GE(whole.time, kWay + (n - 1) * s * kG);
  EXPECT_LE(whole.time, kWay + (n - 1) * (s * kG + s * kY + kNetwork.overhead));
  const auto slices = outcome_of(n, 8, [](Wire& w) { return slices_allreduce(w, nothing, nothing, 10'000); });
  EXPECT_EQ(slices.letters, 2 * n * (n - 1));
  EXPECT_EQ(slices.bytes, std::uint64_t(2 * s * (n - 1)));
  EXPECT_LT(slices.time, whole.time / 2);
}

TEST(Model, VolumesAreTheLeast) {
  const Rank n = 100;
  const std::size_t count = 100 * 50;
  const auto circulant = outcome_of(n, 8, [&](Wire& w) { return circulant_allreduce(w, nothing, nothing, count); });
  EXPECT_EQ(circulant.bytes, 2ull * count * 8 * (n - 1));
  const auto broadcast = outcome_of(n, 8, [](Wire& w) { return binomial_broadcast(w, 7, nothing, 1000); });
  EXPECT_EQ(broadcast.letters, n - 1u);
  const auto ring = outcome_of(n, 8, [&](Wire& w) { return ring_allreduce(w, nothing, nothing, count); });
  EXPECT_EQ(ring.bytes, circulant.bytes);
}

TEST(Model, AlltoallOfManyMembersInDirectLetters) {
  const Rank n = 512;
  const std::size_t bytes = 4096;
  std::vector<Block> blocks(n, Block{0, bytes});
  const auto outcome = outcome_of(
      n, 8, [&](Wire& w) { return spread_alltoall(w, nothing, blocks.data(), nothing, blocks.data()); }, n - 1);
  EXPECT_EQ(outcome.letters, std::uint64_t{n} * (n - 1));
  EXPECT_GE(outcome.time, (n - 1) * double(bytes) * kG);
  EXPECT_LE(outcome.time, (n - 1) * (double(bytes) * kG + 2 * kNetwork.overhead) + n / 8 * kWay);
}

// As many as the largest machines have cores.
TEST(Model, A294912MembersEqualTheFormula) {
  constexpr Rank kMembers = 294'912;
  const double lg = double(rounds_of(kMembers));
  const auto barrier = outcome_of(kMembers, 8, [](Wire& w) { return dissemination_barrier(w); });
  expect_time(barrier.time, lg * kWay, "barrier");
  EXPECT_EQ(barrier.letters, std::uint64_t(lg) * kMembers);
  const std::size_t count = kMembers;
  const auto circulant =
      outcome_of(kMembers, 8, [&](Wire& w) { return circulant_allreduce(w, nothing, nothing, count); });
  const double s = 8.0 * kMembers;
  expect_time(circulant.time, 2 * lg * kWay + s * (kMembers - 1) / kMembers * (2 * kG + kY), "circulant");
  EXPECT_LT(circulant.memory / kMembers, 4096u) << "bytes a member";
  RecordProperty("bytes_a_member", std::to_string(circulant.memory / kMembers));
}

}  // namespace
}  // namespace polder::coll
