// Members die while neighbours are committed, at moments that a seed draws: nobody who lives waits for ever, neither there nor in
// the exchange that follows for those who could commit, and all of them meet again in an agreement. Whoever needs a member
// that could not commit hears of it.
#include "core/seed_range.hpp"
#include "faulty.hpp"

#include <polder/neighbours.hpp>

#include <set>
#include <vector>

namespace polder::test {
namespace {

constexpr Timeout kWhile = 30s;  // of virtual time

SimulationOptions options_for(std::uint64_t seed) {
  util::Random random(util::mix(seed));
  const SimulatedDevice devices[] = {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages};
  SimulationOptions options;
  options.deterministic = true;
  options.seed = seed;
  options.device = devices[random.below(3)];
  options.max_delay_ns = options.device == SimulatedDevice::direct ? 0 : std::int64_t(random.below(20'000));
  options.detection_ns = 1'000'000;
  if (options.device != SimulatedDevice::direct && random.below(3) == 0) options.ranks_per_node = 5;
  options.runtime.timeout = 10s;
  options.limit_ns = 600'000'000'000;
  return options;
}

// Edges that all draw alike: about `degree` from each.
struct DrawnEdges {
  std::vector<Rank> sources, destinations;
  DrawnEdges(std::uint64_t seed, Rank degree, Rank me, Rank size) {
    const auto has = [&](Rank from, Rank to) {
      return from != to && util::mix(seed ^ util::mix(from * 1000 + to)) % size < degree;
    };
    for (Rank other = 0; other < size; ++other) {
      if (has(other, me)) sources.push_back(other);
      if (has(me, other)) destinations.push_back(other);
    }
  }
};

struct Course {
  std::set<Rank> dead;
  Rank committed = 0, refused = 0, exchanged = 0, ended = 0;
};

// A rank commits, exchanges what it can, and meets all who live in an agreement.
void commit_and_exchange(Runtime& rt, std::uint64_t seed, Course& course) {
  const bool dies = course.dead.contains(rt.rank());
  const DrawnEdges edges(seed, 4, rt.rank(), rt.size());
  auto neighbours = Neighbours::graph(rt.world(), edges.sources, edges.destinations);
  ASSERT_TRUE(ok(neighbours));
  Status status = neighbours->commit(kWhile);
  if (!status.ok() && dies) return;
  if (status.ok()) {
    ++course.committed;
    const std::vector<std::uint64_t> send(edges.destinations.size(), 1000 + rt.rank());
    std::vector<std::uint64_t> receive(edges.sources.size());
    status = neighbour_alltoall(*neighbours, 8, send.data(), receive.data(), kWhile);
    if (!status.ok() && dies) return;
    if (status.ok()) ++course.exchanged;
    for (std::size_t i = 0; status.ok() && i < receive.size(); ++i) ASSERT_EQ(receive[i], 1000 + edges.sources[i]);
  } else {
    ++course.refused;
  }
  if (!status.ok()) {
    ASSERT_TRUE(fails(status, Code::peer_failed)) << "rank " << rt.rank();
  }
  const auto agreed = rt.world().agree(status.ok(), kWhile);
  if (dies) return;
  ASSERT_TRUE(ok(agreed)) << "rank " << rt.rank();
  ++course.ended;
}

void kill_in_commit(std::uint64_t seed) {
  util::Random random(util::mix(seed ^ 79));
  const auto ranks = Rank(random.below(3) == 0 ? 33 + random.below(12) : 3 + random.below(8));
  Simulation simulation(ranks, options_for(seed));
  Course course;
  const std::int64_t begin = 50'000'000 + std::int64_t(random.below(1'000'000));
  const std::uint64_t spans[] = {10'000, 60'000, 400'000}, within = spans[random.below(3)];
  for (Rank deaths = Rank(random.below(3)); deaths != 0; --deaths) {
    const auto victim = Rank(random.below(ranks));
    if (course.dead.size() + 1 < ranks && course.dead.insert(victim).second)
      simulation.at(begin + std::int64_t(random.below(within)), [&simulation, victim] { simulation.kill(victim); });
  }
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    simulation.sleep(begin - simulation.now_ns());
    commit_and_exchange(rt, seed, course);
  })));
  EXPECT_EQ(course.ended, ranks - course.dead.size());
  if (course.dead.empty()) {
    EXPECT_EQ(course.exchanged, ranks);
  }
}

constexpr std::uint64_t kParts = 4;

class NeighbourSeeds : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Parts, NeighbourSeeds, testing::Range(std::uint64_t{0}, kParts));

TEST_P(NeighbourSeeds, NobodyWaitsForEverForWhoDiesInCommit) {
  const SeedRange seeds(GetParam(), kParts, 320);
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    kill_in_commit(seed);
    ASSERT_FALSE(HasFailure()) << "POLDER_TEST_SEED=" << seed << " takes this course again";
  }
}

}  // namespace
}  // namespace polder::test
