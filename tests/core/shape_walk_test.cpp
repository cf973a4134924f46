// The arithmetic of shapes with numbers that no honest program uses.
#include "core/post/shape_walk.hpp"

#include "core/ranks.hpp"

#include <array>
#include <limits>

namespace polder::test {
namespace {

using core::for_each_piece;
using core::remote_span;

constexpr auto kMost = std::numeric_limits<std::ptrdiff_t>::max();
constexpr auto kLeast = std::numeric_limits<std::ptrdiff_t>::min();
constexpr auto kAll = std::numeric_limits<std::size_t>::max();

template <std::size_t N>
struct Nest {
  std::size_t bytes = 1;
  std::array<std::size_t, N> counts{};
  std::array<std::ptrdiff_t, N> stride{};
  Shape shape() const { return Strided{bytes, counts, stride, stride}; }
};

std::size_t pieces_of(const Shape& shape) {
  std::size_t pieces = 0;
  EXPECT_TRUE(ok(for_each_piece(shape, [&](std::ptrdiff_t, std::ptrdiff_t, std::size_t) -> Status {
    ++pieces;
    return {};
  })));
  return pieces;
}

TEST(ShapeWalk, SpanCoversNegativeAndPositiveDirections) {
  const Nest<2> nest{4, {3, 2}, {-10, 100}};
  auto span = remote_span(nest.shape());
  ASSERT_TRUE(ok(span));
  EXPECT_EQ(span->lowest, -20);
  EXPECT_EQ(span->highest, 104);
  EXPECT_EQ(span->bytes, 24u);
  EXPECT_EQ(pieces_of(nest.shape()), 6u);
}

TEST(ShapeWalk, StridesOfASingleRepetitionDoNotMatter) {
  const Nest<3> nest{8, {1, 1, 1}, {kMost, kMost, kLeast}};
  auto span = remote_span(nest.shape());
  ASSERT_TRUE(ok(span));
  EXPECT_EQ(span->lowest, 0);
  EXPECT_EQ(span->highest, 8);
  EXPECT_EQ(pieces_of(nest.shape()), 1u);
}

TEST(ShapeWalk, WalkOfTheLargestStrides) {
  const Nest<1> nest{1, {2}, {std::ptrdiff_t{1} << 61}};
  ASSERT_TRUE(ok(remote_span(nest.shape())));
  EXPECT_EQ(pieces_of(nest.shape()), 2u);
  const Nest<1> down{1, {2}, {-(std::ptrdiff_t{1} << 62)}};
  ASSERT_TRUE(ok(remote_span(down.shape())));
  EXPECT_EQ(pieces_of(down.shape()), 2u);
}

TEST(ShapeWalk, NumbersThatOverflowAreRefused) {
  EXPECT_TRUE(fails(remote_span(Nest<1>{1, {3}, {kMost}}.shape()), Code::invalid_argument, "2^62"));
  EXPECT_TRUE(fails(remote_span(Nest<1>{1, {3}, {kLeast}}.shape()), Code::invalid_argument, "2^62"));
  EXPECT_TRUE(fails(remote_span(Nest<2>{1, {kAll, kAll}, {0, 0}}.shape()), Code::invalid_argument, "2^62"));
  EXPECT_TRUE(fails(remote_span(Nest<0>{kAll, {}, {}}.shape()), Code::invalid_argument, "2^62"));
  const std::array high{ListItem{0, kMost, 8}}, low{ListItem{0, kLeast, 8}}, large{ListItem{0, 0, kAll}};
  EXPECT_TRUE(fails(remote_span(std::span<const ListItem>(high)), Code::invalid_argument, "2^62"));
  EXPECT_TRUE(fails(remote_span(std::span<const ListItem>(low)), Code::invalid_argument, "2^62"));
  EXPECT_TRUE(fails(remote_span(std::span<const ListItem>(large)), Code::invalid_argument, "2^62"));
}

TEST(ShapeWalk, LevelsAreLimitedAndStridesMustMatch) {
  EXPECT_TRUE(fails(remote_span(Nest<9>().shape()), Code::invalid_argument, "9 levels"));
  const std::array<std::size_t, 2> counts{1, 1};
  const std::array<std::ptrdiff_t, 2> strides{1, 1};
  const std::span<const std::ptrdiff_t> one(strides.data(), 1);
  EXPECT_TRUE(fails(remote_span(Strided{1, counts, one, strides}), Code::invalid_argument, "one local and one remote"));
  EXPECT_TRUE(fails(remote_span(Strided{1, counts, strides, one}), Code::invalid_argument, "one local and one remote"));
}

TEST(ShapeWalk, AWalkEndsWithTheFirstError) {
  int visits = 0;
  const Status status = for_each_piece(Nest<1>{1, {5}, {2}}.shape(), [&](std::ptrdiff_t, std::ptrdiff_t, std::size_t) {
    return ++visits == 3 ? Status(Code::closed) : Status();
  });
  EXPECT_TRUE(fails(status, Code::closed));
  EXPECT_EQ(visits, 3);
}

}  // namespace
}  // namespace polder::test
