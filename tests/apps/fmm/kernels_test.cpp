// The inner loops of every kind of vector unit that this processor has, against plain formulas.
#include "kernels/kernels.hpp"

#include "expansions.hpp"
#include "ranks.hpp"
#include "translation.hpp"

#include <gtest/gtest.h>

#include <array>

namespace fmm {
namespace {

class KernelsTest : public testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& kernels() const { return *GetParam(); }

  std::vector<double> multipole_of(unsigned order, const OwnBodies& bodies, const Cube& cube) const {
    const HarmonicRecursion recursion(order);
    const Scratch scratch(order);
    std::vector<double> multipole(padded_terms(order));
    kernels().bodies_to_multipole(view_of(recursion), bodies.view(), bodies.all(), cube, multipole.data(),
                                  scratch.data());
    return multipole;
  }

  OwnField field_of(unsigned order, const std::vector<double>& local, const OwnBodies& bodies, const Cube& cube) const {
    const HarmonicRecursion recursion(order);
    const Scratch scratch(order);
    std::vector<double> derivatives(4 * terms(order));
    Gradient(order).expand(local.data(), derivatives.data());
    OwnField field(bodies.count);
    kernels().local_to_bodies(view_of(recursion), bodies.view(), bodies.all(), cube, derivatives.data(), field.view(),
                              scratch.data());
    return field;
  }

  std::vector<double> moved(const TranslationTable<double>& table, const std::vector<double>& source) const {
    const Scratch scratch(table.order);
    std::vector<double> target(source.size());
    const double* from = source.data();
    double* to = target.data();
    kernels().translate({table.order, table.azimuth.data(), table.polar.data(), table.axial.data()}, {&from, &to, 1},
                        scratch.data());
    return target;
  }

 private:
  static RecursionView view_of(const HarmonicRecursion& recursion) {
    return {recursion.order, recursion.sectoral.data(), recursion.vertical.data(), recursion.radial.data()};
  }
};
INSTANTIATE_TEST_SUITE_P(Units, KernelsTest, testing::ValuesIn(all_kernels()), name_of_kernels);

constexpr Cube kUnit{{0.5, 0.5, 0.5}, 1};

TEST_P(KernelsTest, AreFoundByName) {
  EXPECT_EQ(find_kernels(kernels().name), &kernels());
  EXPECT_EQ(find_kernels(""), all_kernels().front());
  EXPECT_EQ(find_kernels("abacus"), nullptr);
}

TEST_P(KernelsTest, DirectSumsOfAnyNumberOfTargets) {
  const OwnBodies sources = bodies_in(53, kUnit, 1);
  for (std::size_t count = 1; count <= 40; ++count) {
    const OwnBodies targets = bodies_in(count, kUnit, 2);
    OwnField field(count);
    const Range ranges[] = {{0, 20}, {20, 21}, {21, 53}};
    kernels().direct(targets.view(), targets.all(), field.view(), sources.view(), ranges, 3);
    const OwnField exact = direct_field(targets, sources);
    EXPECT_LT(relative_error(field.potential, exact.potential), 2e-12);
    EXPECT_LT(relative_error(field.x, exact.x), 2e-12);
    EXPECT_LT(relative_error(field.y, exact.y), 2e-12);
    EXPECT_LT(relative_error(field.z, exact.z), 2e-12);
  }
}

TEST_P(KernelsTest, ABodyDoesNotActOnItself) {
  OwnBodies bodies = bodies_in(9, kUnit, 3);
  OwnField field(9);
  const Range all = bodies.all();
  kernels().direct(bodies.view(), all, field.view(), bodies.view(), &all, 1);
  const OwnField exact = direct_field(bodies, bodies);
  EXPECT_LT(relative_error(field.potential, exact.potential), 2e-12);
  for (const double value : field.potential) EXPECT_TRUE(std::isfinite(value));
}

TEST_P(KernelsTest, DirectSumsAtSmallAndLargeDistances) {
  for (const double distance : {1e-15, 1e-9, 1e-3, 1.7}) {
    OwnBodies target(1), source(1);
    target.x[0] = distance;
    source.charge[0] = 2;
    OwnField field(1);
    const Range all{0, 1};
    kernels().direct(target.view(), all, field.view(), source.view(), &all, 1);
    EXPECT_NEAR(field.potential[0] * distance, 2, 1e-11);
    EXPECT_NEAR(field.x[0] * distance * distance, 2, 1e-11);
  }
}

TEST_P(KernelsTest, NothingIsStoredBeyondTheTargets) {
  const OwnBodies sources = bodies_in(10, kUnit, 1), targets = bodies_in(11, kUnit, 2);
  OwnField field(11);
  const Range all = sources.all();
  kernels().direct(targets.view(), {3, 8}, field.view(), sources.view(), &all, 1);
  for (std::size_t i = 0; i < field.potential.size(); ++i) EXPECT_EQ(field.potential[i] != 0, i >= 3 && i < 8) << i;
}

TEST_P(KernelsTest, MultipolesAreSumsOfHarmonics) {
  constexpr unsigned kOrder = 7;
  const HarmonicRecursion recursion(kOrder);
  for (const std::size_t count : {1, 7, 8, 9, 33}) {
    const OwnBodies bodies = bodies_in(count, {{0.25, 0.75, 0.25}, 0.5}, 4);
    const Cube cube{{0.25, 0.75, 0.25}, 0.5};
    std::vector<double> exact(padded_terms(kOrder)), values(terms(kOrder));
    for (std::size_t i = 0; i < count; ++i) {
      const double point[3] = {(bodies.x[i] - 0.25) * 2, (bodies.y[i] - 0.75) * 2, (bodies.z[i] - 0.25) * 2};
      harmonics(recursion, point, values.data());
      for (std::size_t term = 0; term < values.size(); ++term) exact[term] += bodies.charge[i] * values[term];
    }
    EXPECT_LT(relative_error(multipole_of(kOrder, bodies, cube), exact), 1e-14);
  }
}

// Moving a multipole expansion loses nothing: it is that of the same bodies about another centre.
TEST_P(KernelsTest, MultipoleToMultipoleIsExact) {
  for (const unsigned order : {1u, 4u, 9u, 15u, 30u}) {
    for (unsigned octant = 0; octant < 8; ++octant) {
      const auto at = [&](unsigned bit) { return octant & bit ? 0.75 : 0.25; };
      const Cube child{{at(4), at(2), at(1)}, 0.5};
      const OwnBodies bodies = bodies_in(20, child, octant + 1);
      const Vector offset{at(4) - 0.5, at(2) - 0.5, at(1) - 0.5};
      const std::vector<double> up = moved(multipole_to_multipole(order, offset), multipole_of(order, bodies, child));
      EXPECT_LT(relative_error(up, multipole_of(order, bodies, kUnit)), 1e-12) << "order " << order;
    }
  }
}

// A local expansion is a polynomial: about another centre it is the same one.
TEST_P(KernelsTest, LocalToLocalIsExact) {
  for (const unsigned order : {1u, 4u, 9u, 15u}) {
    std::vector<double> local(padded_terms(order));
    for (std::size_t i = 0; i < terms(order); ++i) local[i] = std::sin(3.0 * double(i));
    for (unsigned octant = 0; octant < 8; ++octant) {
      const auto at = [&](unsigned bit) { return octant & bit ? 0.75 : 0.25; };
      const Cube child{{at(4), at(2), at(1)}, 0.5};
      const OwnBodies bodies = bodies_in(10, child, 5);
      const std::vector<double> down = moved(local_to_local(order, {at(4) - 0.5, at(2) - 0.5, at(1) - 0.5}), local);
      OwnField one = field_of(order, local, bodies, kUnit), two = field_of(order, down, bodies, child);
      EXPECT_LT(relative_error(two.potential, one.potential), 1e-12);
      EXPECT_LT(relative_error(two.z, one.z), 1e-12);
    }
  }
}

struct Way {
  Cube source, target;
};

// Neighbours but one, in several directions, also of different sizes.
std::array<Way, 5> ways() {
  return {{{{{0.5, 0.5, 0.5}, 1}, {{2.5, 0.5, 0.5}, 1}},
           {{{0.5, 0.5, 0.5}, 1}, {{0.5, 0.5, -1.5}, 1}},
           {{{0.5, 0.5, 0.5}, 1}, {{-1.5, 3.5, 2.5}, 1}},
           {{{0.25, 0.25, 0.25}, 0.5}, {{-1.5, 0.5, 0.5}, 1}},
           {{{0.5, 0.5, 0.5}, 1}, {{0.25, 2.25, -0.75}, 0.5}}}};
}

// The error of a translation falls with the order like a power of how far the spheres around the cubes are apart.
TEST_P(KernelsTest, MultipoleToLocalConvergesAsTheorySays) {
  for (const Way& way : ways()) {
    OwnBodies sources = bodies_in(40, way.source, 6);
    for (double& charge : sources.charge) charge = std::abs(charge);
    const OwnBodies targets = bodies_in(40, way.target, 7);
    const Vector between{way.target.centre[0] - way.source.centre[0], way.target.centre[1] - way.source.centre[1],
                         way.target.centre[2] - way.source.centre[2]};
    const double d = std::sqrt(between.x * between.x + between.y * between.y + between.z * between.z);
    const double half = std::sqrt(3.0) / 2, larger = std::max(way.source.side, way.target.side);
    const double ratio = half * larger / (d - half * std::min(way.source.side, way.target.side));
    for (unsigned order = 2; order <= 24; order += 2) {
      const auto table = multipole_to_local<double>(order, between, way.source.side, way.target.side);
      const std::vector<double> local = moved(table, multipole_of(order, sources, way.source));
      const OwnField found = field_of(order, local, targets, way.target);
      const double error = relative_error(found.potential, direct_field(targets, sources).potential);
      EXPECT_LT(error, 2 * std::pow(ratio, order + 1)) << "order " << order << ", distance " << d;
      if (order == 24) {
        EXPECT_LT(error, 1e-6);
      }
    }
  }
}

TEST_P(KernelsTest, SinglePrecisionTranslatesLikeDoubleAndManyLikeOne) {
  constexpr unsigned kOrder = 8;
  const Vector between{2, -1, 1};
  const auto one = multipole_to_local<double>(kOrder, between, 1, 1);
  const auto fast = multipole_to_local<float>(kOrder, between, 1, 1);
  const Scratch scratch(kOrder);
  for (unsigned count = 1; count <= kernels().float_columns; ++count) {
    std::vector<std::vector<double>> sources, doubles, floats(count, std::vector<double>(padded_terms(kOrder)));
    std::vector<const double*> from;
    std::vector<double*> to;
    for (unsigned i = 0; i < count; ++i) {
      sources.push_back(multipole_of(kOrder, bodies_in(5, kUnit, i + 1), kUnit));
      doubles.push_back(moved(one, sources.back()));
    }
    for (unsigned i = 0; i < count; ++i) {
      from.push_back(sources[i].data());
      to.push_back(floats[i].data());
    }
    kernels().translate_float({kOrder, fast.azimuth.data(), fast.polar.data(), fast.axial.data()},
                              {from.data(), to.data(), count}, scratch.data());
    for (unsigned i = 0; i < count; ++i) EXPECT_LT(relative_error(floats[i], doubles[i]), 1e-6) << i << " of " << count;
  }
}

}  // namespace
}  // namespace fmm
