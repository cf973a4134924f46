#include <polder/containers/dealt.hpp>
#include <polder/containers/matrix.hpp>
#include <polder/containers/product.hpp>
#include <polder/containers/reduce.hpp>

#include "units.hpp"

#include <gtest/gtest.h>

namespace polder::containers {
namespace {

int element_of_a(std::size_t i, std::size_t l) {
  return int(i * 7 + l * 3) % 11 - 5;
}
int element_of_b(std::size_t l, std::size_t j) {
  return int(l * 5 + j * 2) % 13 - 6;
}

// a, b and c of any distributions; c is compared with the three loops.
template <class A, class B, class C>
void check_product(A& a, B& b, C& c) {
  for_each_index(a, [](const auto& at, int& element) { element = element_of_a(at[0], at[1]); });
  for_each_index(b, [](const auto& at, int& element) { element = element_of_b(at[0], at[1]); });
  fill(c, 77);
  multiply(a, b, c);
  for_each_span(c, [&](auto elements, auto at) {
    for (const int element : elements) {
      int expected = 0;
      for (std::size_t l = 0; l < a.extents()[1]; ++l) expected += element_of_a(at[0], l) * element_of_b(l, at[1]);
      ASSERT_EQ(element, expected) << to_string(at);
      ++at[1];
    }
  });
}

TEST(Product, OfBlocksAndTilesAndRaggedEdges) {
  as_units(4, [](const Team& team) {
    Matrix<int, 2> a(team, {13, 600}), b(team, {600, 9}), c(team, {13, 9});
    check_product(a, b, c);
    Matrix<int, 2, Tiled<2>> tiled_a(team, Tiled<2>({13, 30}, {Spread{4}, Spread{7}}, {2, 2}));
    Matrix<int, 2, Shifted<2>> shifted_b(team, Shifted<2>({30, 9}, {4, 2}, 4));
    Matrix<int, 2, Tiled<2>> tiled_c(team, Tiled<2>({13, 9}, {Spread{5}, Spread{3}}, {2, 2}));
    check_product(tiled_a, shifted_b, tiled_c);
    Matrix<int, 2> one(team, {1, 1}), row(team, {1, 40}), column(team, {40, 1});
    check_product(row, column, one);
  });
}

TEST(Product, OfOneUnitReadsItsMemory) {
  as_units(1, [](const Team& team) {
    Matrix<int, 2> a(team, {20, 300}), b(team, {300, 10}), c(team, {20, 10});
    check_product(a, b, c);
  });
}

TEST(Product, OfViewsAndByAFunctionOfTheUsers) {
  as_units(3, [](const Team& team) {
    Matrix<double, 2> a(team, {6, 8}), b(team, {8, 6}), c(team, {9, 9});
    fill(a, 2.0);
    fill(b, 3.0);
    std::size_t calls = 0;
    multiply(a.sub({0, 1}, {4, 5}), b.sub({3, 0}, {5, 4}), c.sub({5, 5}, {4, 4}),
             [&](std::size_t m, std::size_t n, std::size_t k, const double* x, std::size_t ldx, const double* y,
                 std::size_t ldy, double* z, std::size_t ldz) {
               ++calls;
               PlainProduct()(m, n, k, x, ldx, y, ldy, z, ldz);
             });
    EXPECT_LE(calls, 2u);
    EXPECT_EQ(reduce(c, 0.0), 16 * 30.0);
    EXPECT_EQ(reduce(c.sub({5, 5}, {4, 4}), 0.0), 16 * 30.0);
  });
}

TEST(Product, NothingInBetweenIsZero) {
  as_units(2, [](const Team& team) {
    Matrix<int, 2> a(team, {3, 0}), b(team, {0, 4}), c(team, {3, 4});
    fill(c, 5);
    multiply(a, b, c);
    EXPECT_TRUE(all_of(c, [](int x) { return x == 0; }));
  });
}

TEST(Product, ExtentsThatDoNotFitAreNamed) {
  as_units(2, [](const Team& team) {
    Matrix<int, 2> a(team, {3, 4}, {.name = "a"}), b(team, {5, 6}, {.name = "b"}), c(team, {3, 6}, {.name = "c"});
    const std::string text = text_of_failure([&] { multiply(a, b, c); });
    EXPECT_NE(text.find("product of 'a' of (3, 4) and 'b' of (5, 6) into 'c' of (3, 6): their extents do not fit"),
              std::string::npos)
        << text;
  });
}

}  // namespace
}  // namespace polder::containers
