// Sharing particles out: cuts of the curve, and the exchange.
#include "exchange.hpp"
#include "partition.hpp"
#include "ranks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>

namespace fmm {
namespace {

TEST(Shares, CoverAllAndKnowTheirOwners) {
  for (const std::uint64_t total : {1, 2, 7, 100}) {
    for (const unsigned shares : {1u, 3u, 8u}) {
      std::uint64_t next = 0;
      for (unsigned i = 0; i < shares; ++i) {
        const Share share = share_of(total, i, shares);
        EXPECT_EQ(share.begin, next);
        for (std::uint64_t id = share.begin; id < share.end; ++id) EXPECT_EQ(owner_of(id, total, shares), i);
        next = share.end;
      }
      EXPECT_EQ(next, total);
    }
  }
}

// Keys of which some ranks have many and the lower half of the curve has most.
std::vector<KeyedIndex> uneven_keys(unsigned rank) {
  std::mt19937_64 random(rank);
  std::vector<KeyedIndex> keys;
  for (std::size_t i = 0; i < 300 * (rank + 1); ++i) keys.push_back({random() >> (rank % 2 == 0 ? 6 : 1), i});
  radix_sort(keys);
  return keys;
}

TEST(Partition, CutsGiveEveryRankTheSameWeight) {
  for (const unsigned ranks : {1u, 2u, 3u, 8u}) {
    std::vector<double> weights(ranks);
    std::mutex mutex;
    on_ranks(ranks, [&](Team& team) {
      const std::vector<KeyedIndex> keys = uneven_keys(team.rank());
      std::vector<double> own(keys.size());
      for (std::size_t i = 0; i < own.size(); ++i) own[i] = 1 + double(i % 3);
      const auto cuts = find_cuts(team, keys, own);
      ASSERT_TRUE(cuts.ok()) << cuts.status().to_string();
      ASSERT_EQ(cuts->size(), ranks - 1);
      const std::lock_guard lock(mutex);
      for (const KeyedIndex& key : keys) {
        const auto to = std::upper_bound(cuts->begin(), cuts->end(), key.key) - cuts->begin();
        weights[std::size_t(to)] += own[key.index];
      }
    });
    double total = 0;
    for (const double weight : weights) total += weight;
    for (const double weight : weights) EXPECT_NEAR(weight, total / ranks, 0.01 * total / ranks + 6);
  }
}

TEST(Partition, WithoutKeysOrWithAllEqualOnesSomeRanksGetNothing) {
  on_ranks(3, [&](Team& team) {
    EXPECT_TRUE(find_cuts(team, {}, {}).ok());
    const std::vector<KeyedIndex> same(10, KeyedIndex{42, 0});
    const auto cuts = find_cuts(team, same, std::vector<double>(1, 1.0));
    ASSERT_TRUE(cuts.ok());
    // All on the same side of every cut.
    for (const std::uint64_t cut : *cuts) EXPECT_LE(cut, std::uint64_t{1} << 63);
  });
}

void exchange_everything(unsigned ranks, polder::SimulatedDevice device) {
  constexpr std::uint64_t kTotal = 3001;
  std::map<std::uint64_t, double> found;
  std::mutex mutex;
  on_ranks(ranks, device, [&](Team& team) {
    const std::vector<Particle> mine = generate({.total = kTotal}, share_of(kTotal, team.rank(), team.size()));
    Exchange exchange(team);
    std::vector<KeyedIndex> order;
    for (std::size_t i = 0; i < mine.size(); ++i) order.push_back({mine[i].id * 1000003 % kTotal, i});
    radix_sort(order);
    std::vector<std::uint64_t> cuts;
    for (unsigned rank = 1; rank < team.size(); ++rank) cuts.push_back(kTotal * rank / team.size());
    const auto got = exchange.run(mine, order, cuts);
    ASSERT_TRUE(got.ok()) << got.status().to_string();
    const std::lock_guard lock(mutex);
    for (const Particle& particle : *got) {
      const std::uint64_t key = particle.id * 1000003 % kTotal;
      EXPECT_EQ(std::upper_bound(cuts.begin(), cuts.end(), key) - cuts.begin(), std::ptrdiff_t(team.rank()));
      EXPECT_TRUE(found.emplace(particle.id, particle.position[0]).second) << "twice";
    }
  });
  ASSERT_EQ(found.size(), kTotal);
  for (const Particle& particle : generate({.total = kTotal}, {0, kTotal}))
    EXPECT_EQ(found[particle.id], particle.position[0]);
}

TEST(ExchangeTest, EveryParticleArrivesOnceWhereItBelongs) {
  exchange_everything(1, polder::SimulatedDevice::direct);
  exchange_everything(4, polder::SimulatedDevice::direct);
  exchange_everything(3, polder::SimulatedDevice::network);
}

TEST(Generate, DoesNotDependOnTheShares) {
  for (const Shape shape : {Shape::cube, Shape::plummer}) {
    const Recipe recipe{.shape = shape, .charges = Charges::mixed, .total = 100, .seed = 5};
    const std::vector<Particle> all = generate(recipe, {0, 100}), some = generate(recipe, {30, 60});
    for (std::size_t i = 0; i < some.size(); ++i) {
      EXPECT_EQ(some[i].id, all[i + 30].id);
      EXPECT_EQ(some[i].position, all[i + 30].position);
      EXPECT_EQ(some[i].charge, all[i + 30].charge);
    }
  }
}

TEST(Generate, HalfTheMassOfAPlummerSphereIsWithin1Point3) {
  const std::vector<Particle> all = generate({.shape = Shape::plummer, .total = 20'000}, {0, 20'000});
  std::size_t inside = 0;
  for (const Particle& p : all) inside += std::hypot(p.position[0], p.position[1], p.position[2]) < 1.3048 ? 1 : 0;
  EXPECT_NEAR(double(inside), 10'000, 300);
}

}  // namespace
}  // namespace fmm
