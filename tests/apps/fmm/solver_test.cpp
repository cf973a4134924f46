// The whole method: right for every distribution, on any number of ranks.
#include "solver.hpp"

#include "order.hpp"
#include "ranks.hpp"
#include "sample_check.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

namespace fmm {
namespace {

struct Values {
  double potential = 0;
  std::array<double, 3> field{};
};

SolverSettings settings(unsigned order, std::size_t leaf_size = 20) {
  return {.order = order, .leaf_size = leaf_size, .precision = Precision::full, .kernels = find_kernels("")};
}

// Particles shared out among ranks by number; what the solver finds, by number.
class Problem {
 public:
  explicit Problem(std::vector<Particle> particles) : particles_(std::move(particles)), values_(particles_.size()) {}
  explicit Problem(const Recipe& recipe) : Problem(generate(recipe, {0, recipe.total})) {}

  Status solve(unsigned ranks, const SolverSettings& how,
               polder::SimulatedDevice device = polder::SimulatedDevice::direct, int steps = 1) {
    std::vector<Status> outcomes(ranks);
    on_ranks(ranks, device, [&](Team& team) {
      Solver solver(team, how);
      const Share share = share_of(particles_.size(), team.rank(), ranks);
      const std::vector<Particle> mine(particles_.begin() + std::ptrdiff_t(share.begin),
                                       particles_.begin() + std::ptrdiff_t(share.end));
      Status status = solver.evaluate(mine);
      for (int step = 1; step < steps && status.ok(); ++step) status = solver.evaluate(solver.particles());
      if (status.ok()) take(solver);
      outcomes[team.rank()] = std::move(status);
    });
    // The culprit, not those that stopped because of it.
    for (const bool culprit : {true, false})
      for (const Status& status : outcomes)
        if (!status.ok() && (!culprit || !(status.message().empty() || apps::lost_others(status)))) return status;
    return {};
  }

  // Root mean square errors against direct summation in plain code.
  double potential_error() const {
    return error([](const Values& v) { return std::vector{v.potential}; });
  }
  double field_error() const {
    return error([](const Values& v) { return std::vector{v.field[0], v.field[1], v.field[2]}; });
  }
  const std::vector<Values>& values() const { return values_; }
  std::uint64_t most_particles() const { return most_; }
  std::uint64_t translations() const { return translations_; }

 private:
  void take(const Solver& solver) {
    for (std::size_t body = 0; body < solver.particles().size(); ++body)
      values_[solver.particles()[solver.particle_of(body)].id] = {solver.potential(body), solver.field(body)};
    const std::lock_guard lock(mutex_);
    most_ = std::max(most_, solver.numbers().particles);
    translations_ += solver.numbers().translations;
  }

  Values exact(std::size_t i) const {
    Values sum;
    for (const Particle& other : particles_) {
      std::array<double, 3> d{};
      for (std::size_t axis = 0; axis < 3; ++axis) d[axis] = particles_[i].position[axis] - other.position[axis];
      const double r = std::hypot(d[0], d[1], d[2]);
      if (r == 0) continue;
      sum.potential += other.charge / r;
      for (std::size_t axis = 0; axis < 3; ++axis) sum.field[axis] += other.charge * d[axis] / (r * r * r);
    }
    return sum;
  }

  template <class Part>
  double error(const Part& part) const {
    std::vector<double> found, expected;
    for (std::size_t i = 0; i < particles_.size(); i += 1 + particles_.size() / 300) {
      for (const double value : part(values_[i])) found.push_back(value);
      for (const double value : part(exact(i))) expected.push_back(value);
    }
    return relative_error(found, expected);
  }

  std::vector<Particle> particles_;
  std::vector<Values> values_;
  std::mutex mutex_;
  std::uint64_t most_ = 0;
  std::uint64_t translations_ = 0;
};

struct Distribution {
  const char* name;
  Recipe recipe;
};

std::vector<Distribution> distributions() {
  return {{"cube", {Shape::cube, Charges::equal, 4000, 1}},
          {"cube_mixed", {Shape::cube, Charges::mixed, 4000, 2}},
          {"plummer", {Shape::plummer, Charges::equal, 4000, 3}},
          {"plummer_mixed", {Shape::plummer, Charges::mixed, 4000, 4}}};
}

class Accurate : public testing::TestWithParam<Distribution> {};
INSTANTIATE_TEST_SUITE_P(Distributions, Accurate, testing::ValuesIn(distributions()),
                         [](const auto& made) { return std::string(made.param.name); });

TEST_P(Accurate, OnAnyNumberOfRanks) {
  for (const unsigned ranks : {1u, 2u, 4u, 8u}) {
    Problem problem(GetParam().recipe);
    const Status status = problem.solve(ranks, settings(10));
    ASSERT_TRUE(status.ok()) << status.to_string();
    EXPECT_LT(problem.potential_error(), 3e-5) << ranks << " ranks";
    EXPECT_LT(problem.field_error(), 3e-5) << ranks << " ranks";
    EXPECT_GT(problem.translations(), 1000u);
  }
}

TEST_P(Accurate, ErrorFallsWithTheOrder) {
  double before = 1;
  for (const unsigned order : {2u, 5u, 8u, 12u, 17u}) {
    Problem problem(GetParam().recipe);
    ASSERT_TRUE(problem.solve(2, settings(order)).ok());
    const double error = std::max(problem.potential_error(), problem.field_error());
    EXPECT_LT(error, before / 2) << "order " << order;
    before = error;
  }
  EXPECT_LT(before, 1e-6);
}

TEST_P(Accurate, TheSameOnAnyNumberOfRanks) {
  Problem one(GetParam().recipe), many(GetParam().recipe);
  ASSERT_TRUE(one.solve(1, settings(14)).ok());
  ASSERT_TRUE(many.solve(5, settings(14)).ok());
  std::vector<double> a, b;
  for (const Values& values : one.values()) a.push_back(values.potential);
  for (const Values& values : many.values()) b.push_back(values.potential);
  EXPECT_LT(relative_error(a, b), 1e-5);
}

class OverDevices : public testing::TestWithParam<polder::SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, OverDevices,
                         testing::Values(polder::SimulatedDevice::direct, polder::SimulatedDevice::network,
                                         polder::SimulatedDevice::messages, polder::SimulatedDevice::shm));

TEST_P(OverDevices, SeveralSteps) {
  Problem problem(Recipe{Shape::plummer, Charges::equal, 2000, 1});
  const Status status = problem.solve(3, settings(8), GetParam(), 3);
  ASSERT_TRUE(status.ok()) << status.to_string();
  EXPECT_LT(problem.field_error(), 1e-4);
}

TEST(SolverTest, SinglePrecisionTranslationsDoForFiveDigits) {
  Problem problem(Recipe{Shape::cube, Charges::equal, 4000, 1});
  SolverSettings how = settings(9);
  how.precision = Precision::single;
  ASSERT_TRUE(problem.solve(2, how).ok());
  EXPECT_LT(problem.field_error(), 1e-5);
}

// Squares of distances that no float holds.
TEST(SolverTest, EveryKindOfKernelsDoesWhatIsVeryNear) {
  for (const Kernels* kernels : all_kernels()) {
    std::vector<Particle> particles = generate({.total = 40}, {0, 40});
    for (Particle& particle : particles)
      for (double& at : particle.position) at *= particle.id == 0 ? 1.0 : 1e-25;
    Problem problem(particles);
    SolverSettings how = settings(8);
    how.kernels = kernels;
    ASSERT_TRUE(problem.solve(1, how).ok());
    EXPECT_LT(problem.field_error(), 1e-12) << kernels->name;
  }
}

TEST(SolverTest, EveryKindOfKernelsDoes) {
  for (const Kernels* kernels : all_kernels()) {
    Problem problem(Recipe{Shape::cube, Charges::equal, 1500, 1});
    SolverSettings how = settings(8);
    how.kernels = kernels;
    ASSERT_TRUE(problem.solve(2, how).ok());
    EXPECT_LT(problem.field_error(), 1e-4) << kernels->name;
  }
}

TEST(SolverTest, FewParticlesAndMoreRanks) {
  for (const std::uint64_t count : {1, 2, 3, 9}) {
    Problem problem(Recipe{Shape::cube, Charges::equal, count, 7});
    const Status status = problem.solve(4, settings(4));
    ASSERT_TRUE(status.ok()) << status.to_string();
    EXPECT_LT(problem.potential_error(), 1e-10);
    EXPECT_LT(problem.field_error(), 1e-10);
  }
}

TEST(SolverTest, NoChargeMeansNoPotential) {
  std::vector<Particle> particles = generate({.total = 500}, {0, 500});
  for (Particle& particle : particles) particle.charge = 0;
  Problem problem(particles);
  ASSERT_TRUE(problem.solve(2, settings(4)).ok());
  for (const Values& values : problem.values()) EXPECT_EQ(values.potential, 0);
}

std::vector<Particle> line_of(std::size_t count, double step) {
  std::vector<Particle> particles(count);
  for (std::size_t i = 0; i < count; ++i) {
    particles[i].position = {5.0 + step * double(i), -3, 1e3};
    particles[i].charge = 1 + double(i % 3);
    particles[i].id = i;
  }
  return particles;
}

TEST(SolverTest, ParticlesOnALineFarFromTheOrigin) {
  Problem problem(line_of(600, 1e-3));
  ASSERT_TRUE(problem.solve(3, settings(12)).ok());
  EXPECT_LT(problem.potential_error(), 1e-5);
}

TEST(SolverTest, AnyUnitOfLength) {
  for (const double unit : {1e-30, 1e30}) {
    std::vector<Particle> particles = generate({.total = 800}, {0, 800});
    for (Particle& particle : particles)
      for (double& at : particle.position) at *= unit;
    Problem problem(particles);
    ASSERT_TRUE(problem.solve(2, settings(10)).ok());
    EXPECT_LT(problem.potential_error(), 1e-6);
    EXPECT_LT(problem.field_error(), 1e-4);
  }
}

// Two dense clusters far apart: a chain of cells with one child each.
TEST(SolverTest, DeepTrees) {
  std::vector<Particle> particles = generate({.total = 600}, {0, 600});
  for (Particle& particle : particles)
    for (double& at : particle.position) at = at * 1e-5 + (particle.id % 2 == 0 ? 0.0 : 1.0);
  Problem problem(particles);
  ASSERT_TRUE(problem.solve(2, settings(10)).ok());
  EXPECT_LT(problem.potential_error(), 1e-5);
  EXPECT_LT(problem.field_error(), 1e-4);
}

// The fields are the near particles' own, and the far one decides how wide the domain is.
class FarApart : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Widths, FarApart, testing::Values(1e3, 1e6, 1e9, 1e15, 1e60));

TEST_P(FarApart, NearParticlesKeepTheirDigits) {
  const double near = 1e-6;
  std::vector<Particle> particles = generate({.total = 17}, {0, 17});
  for (Particle& particle : particles)
    for (double& at : particle.position) at = near * (at - 0.5);
  particles[16].position = {-GetParam(), 0, 0};
  Problem problem(particles);
  const Status status = problem.solve(2, settings(8));
  ASSERT_TRUE(status.ok()) << status.to_string();
  EXPECT_LT(problem.potential_error(), 1e-12);
  EXPECT_LT(problem.field_error(), 1e-12);
}

TEST_P(FarApart, TheCheckSeesWhatWasGiven) {
  on_ranks(1, [&](Team& team) {
    std::vector<Particle> particles = generate({.total = 17}, {0, 17});
    for (Particle& particle : particles)
      for (double& at : particle.position) at = 1e-6 * (at - 0.5);
    particles[16].position = {-GetParam(), 0, 0};
    Solver solver(team, settings(8));
    ASSERT_TRUE(solver.evaluate(particles).ok());
    const auto accuracy = check_sample(team, solver, 17, 17);
    ASSERT_TRUE(accuracy.ok());
    EXPECT_LT(accuracy->larger(), 1e-12);
  });
}

TEST(SolverTest, RefusesTwoParticlesAtOnePlace) {
  std::vector<Particle> particles = generate({.total = 300}, {0, 300});
  particles[220].position = particles[17].position;
  Problem problem(particles);
  const Status status = problem.solve(3, settings(4));
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_NE(status.message().find("particles 17 and 220 are at the same place"), std::string_view::npos)
      << status.message();
}

TEST(SolverTest, RefusesWhatIsTooClustered) {
  std::vector<Particle> particles = generate({.total = 20'100}, {0, 20'100});
  for (Particle& particle : particles)
    for (double& at : particle.position) at *= 1e-9;
  particles[0].position = {1, 1, 1};
  Problem problem(particles);
  const Status status = problem.solve(2, settings(4));
  EXPECT_EQ(status.code(), Code::limit) << status.to_string();
  EXPECT_NE(status.message().find("too clustered"), std::string_view::npos) << status.message();
}

// The bound is checked before; a tree that needs more than was thought is noticed when it is there.
TEST(SolverTest, StopsWhenATreeNeedsMoreMemoryThanThereIs) {
  Problem problem(Recipe{Shape::cube, Charges::equal, 4000, 1});
  SolverSettings how = settings(20, 1);
  how.memory = 5'000'000;
  const Status status = problem.solve(2, how);
  EXPECT_EQ(status.code(), Code::out_of_memory) << status.to_string();
  EXPECT_NE(status.message().find("cells of the octree need"), std::string_view::npos) << status.message();
}

// Only what one rank is to read of the others does not fit: they go on reading its tree, and hear of it at the end.
TEST(SolverTest, ARankWithTooLittleMemoryForTheOthersTreesStopsAll) {
  constexpr std::uint64_t kTotal = 4000;
  constexpr unsigned kRanks = 3;
  std::vector<Status> outcomes(kRanks);
  on_ranks(kRanks, polder::SimulatedDevice::network, [&](Team& team) {
    const std::vector<Particle> mine = generate({.total = kTotal}, share_of(kTotal, team.rank(), kRanks));
    SolverSettings how = settings(8);
    {
      Solver solver(team, how);
      ASSERT_TRUE(solver.evaluate(mine).ok());
      if (team.rank() == 1) how.memory = solver.numbers().bytes - solver.numbers().essential_bytes;
    }
    Solver solver(team, how);
    outcomes[team.rank()] = solver.evaluate(mine);
  });
  EXPECT_EQ(outcomes[1].code(), Code::out_of_memory) << outcomes[1].to_string();
  EXPECT_NE(outcomes[1].message().find("cells of the octree need"), std::string_view::npos) << outcomes[1].message();
  for (const unsigned rank : {0u, 2u}) {
    EXPECT_EQ(outcomes[rank].code(), Code::closed) << outcomes[rank].to_string();
    EXPECT_EQ(outcomes[rank].message(), "");
  }
}

TEST(SolverTest, ALaterStepSharesOutByCostAndKeepsTheBoundOfParticles) {
  Problem problem(Recipe{Shape::plummer, Charges::equal, 4000, 1});
  ASSERT_TRUE(problem.solve(4, settings(10), polder::SimulatedDevice::direct, 4).ok());
  EXPECT_LE(problem.most_particles(), 2 * 1000 + 1024u);
  EXPECT_LT(problem.field_error(), 1e-4);
}

TEST(SampleCheckTest, FindsTheErrorThatThereIs) {
  constexpr std::uint64_t kTotal = 2000;
  for (const unsigned ranks : {1u, 3u}) {
    on_ranks(ranks, [&](Team& team) {
      const std::vector<Particle> mine = generate({.total = kTotal}, share_of(kTotal, team.rank(), ranks));
      double before = 1;
      for (const unsigned order : {2u, 6u, 14u}) {
        Solver solver(team, settings(order));
        ASSERT_TRUE(solver.evaluate(mine).ok());
        const auto all = check_sample(team, solver, kTotal, kTotal), some = check_sample(team, solver, kTotal, 300);
        ASSERT_TRUE(all.ok() && some.ok());
        EXPECT_EQ(all->samples, kTotal);
        EXPECT_EQ(some->samples, 300u);
        EXPECT_LT(some->field, 3 * all->field);
        EXPECT_GT(some->field, all->field / 3);
        EXPECT_GE(all->worst_field, all->field);
        EXPECT_LT(all->field, before / 10);
        before = all->field;
      }
    });
  }
}

TEST(Order, GrowsWithTheAccuracyAndWithMixedCharges) {
  unsigned before = 0;
  for (const double accuracy : {1e-1, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
    EXPECT_GE(order_for(accuracy, false), before);
    EXPECT_GE(order_for(accuracy, true), order_for(accuracy, false));
    EXPECT_LE(order_for(accuracy, true), kMaxOrder);
    before = order_for(accuracy, false);
  }
  EXPECT_EQ(order_for(1e-5, false), 8u);
}

TEST(Order, IsRaisedByWhatIsMissing) {
  EXPECT_EQ(higher_order(8, 1e-6, 1e-5), 8u);
  EXPECT_EQ(higher_order(8, 1.01e-5, 1e-5), 9u);
  EXPECT_GT(higher_order(8, 1e-3, 1e-5), 10u);
  EXPECT_EQ(higher_order(kMaxOrder, 1, 1e-5), kMaxOrder);
}

}  // namespace
}  // namespace fmm
