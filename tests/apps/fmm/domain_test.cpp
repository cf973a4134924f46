// Coordinates and cells in the units of a domain: what must not be rounded is not.
#include "domain.hpp"

#include <gtest/gtest.h>

namespace fmm {
namespace {

TEST(DomainTest, UnitsAreThePowerOfTwoFromTheSideOn) {
  EXPECT_EQ(Domain({}, 1).unit(), 1);
  EXPECT_EQ(Domain({}, 0.75).unit(), 1);
  EXPECT_EQ(Domain({}, 1.01).unit(), 2);
  EXPECT_EQ(Domain({}, 1e9).unit(), 0x1p30);
  EXPECT_EQ(Domain({}, 1e-300).unit(), 0x1p-996);
}

TEST(DomainTest, CoordinatesKeepAllDigits) {
  const Domain domain({-1e9, 0, 0}, 1.1e9);
  for (const double coordinate : {1e-6, 1e-6 + 0x1p-72, -3.3e-9, 1.0 / 3, 0.0})
    EXPECT_EQ(domain.in_units(coordinate) * domain.unit(), coordinate);
  EXPECT_EQ(domain.in_units(1e-80), 0);
}

// Behind the rounded sum lies what it lost: together they say where the centre is to many more digits than a cell needs.
TEST(DomainTest, CentresOfTheDeepestCellsAreExact) {
  const std::array<double, 3> origin{0.1, -1.0 / 3, 7e5};
  const Domain domain(origin, 1.7);
  const std::uint32_t last = (1u << 21) - 1;
  for (const std::uint32_t place : {0u, 1u, 12345u, last}) {
    const Cube cube = domain.cube_of({.x = place, .y = last - place, .z = place, .level = 21});
    const std::array<std::uint32_t, 3> places{place, last - place, place};
    EXPECT_EQ(cube.side, 1.7 / 2 * 0x1p-21);
    for (std::size_t i = 0; i < 3; ++i) {
      const long double exact =
          static_cast<long double>(origin[i]) / 2 + (places[i] + 0.5L) * 0x1p-21L * (static_cast<long double>(1.7) / 2);
      const long double found = static_cast<long double>(cube.centre[i]) + cube.rest[i];
      EXPECT_LT(std::abs(double(found - exact)), 1e-10 * cube.side * (i == 2 ? 1e5 : 1)) << place << " " << i;
    }
  }
}

}  // namespace
}  // namespace fmm
