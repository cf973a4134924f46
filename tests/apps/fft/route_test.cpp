// Whatever the route, every element goes from where its sender has it to where its receiver wants it, and nowhere else.
#include "route.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

namespace fft {
namespace {

using Place = std::uint64_t;  // of an element in the field, row-major

std::uint64_t number_of(const Extents& n, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return (x * n[1] + y) * n[2] + z;
}

// Which element lies where in a rank's memory.
std::map<Place, std::uint64_t> at_first(const Share& share) {
  std::map<Place, std::uint64_t> all;
  for (std::uint64_t i = 0; i < share.own_x(); ++i)
    for (std::uint64_t j = 0; j < share.own_y(); ++j)
      for (std::uint64_t k = 0; k < share.extents[2]; ++k)
        all[share.line_at_first(i, j) + k] =
            number_of(share.extents, share.x.begin(share.row) + i, share.y.begin(share.column) + j, k);
  return all;
}

std::map<Place, std::uint64_t> in_between(const Share& share) {
  std::map<Place, std::uint64_t> all;
  for (std::uint64_t i = 0; i < share.own_x(); ++i)
    for (std::uint64_t j = 0; j < share.extents[1]; ++j)
      for (std::uint64_t k = 0; k < share.own_z(); ++k)
        all[i * share.plane_between() + j * pitch_of(share.own_z()) + k] =
            number_of(share.extents, share.x.begin(share.row) + i, j, share.z.begin(share.column) + k);
  return all;
}

std::map<Place, std::uint64_t> at_the_end(const Share& share) {
  std::map<Place, std::uint64_t> all;
  for (std::uint64_t j = 0; j < share.own_result_y(); ++j)
    for (std::uint64_t i = 0; i < share.extents[0]; ++i)
      for (std::uint64_t k = 0; k < share.own_z(); ++k)
        all[share.line_of_result(j, i) + k] =
            number_of(share.extents, i, share.y_of_result.begin(share.row) + j, share.z.begin(share.column) + k);
  return all;
}

// Carries all pieces of all members and looks where each element has come to.
void expect_carried(const std::vector<Share>& members, bool in_row, unsigned pieces,
                    std::map<Place, std::uint64_t> (*from)(const Share&),
                    std::map<Place, std::uint64_t> (*to)(const Share&)) {
  const auto route_of = [&](unsigned member) {
    return in_row ? Route::in_row(members[member], pieces) : Route::in_column(members[member], pieces);
  };
  std::vector<std::map<Place, std::uint64_t>> come(members.size());
  for (unsigned sender = 0; sender < members.size(); ++sender) {
    const auto has = from(members[sender]);
    const Route route = route_of(sender);
    for (unsigned piece = 0; piece < pieces; ++piece) {
      const PlaneRange range = route.planes(sender, piece);
      for (std::uint64_t plane = range.begin; plane < range.begin + range.count; ++plane)
        for (unsigned receiver = 0; receiver < members.size(); ++receiver) {
          const Rows rows = route.rows(sender, receiver, plane);
          for (std::uint64_t row = 0; row < rows.count; ++row)
            for (std::uint64_t at = 0; at < rows.length; ++at) {
              const auto element = has.find(plane * route.plane() + rows.from + row * rows.from_pitch + at);
              ASSERT_NE(element, has.end());
              const auto [place, is_new] = come[receiver].emplace(rows.to + row * rows.to_pitch + at, element->second);
              EXPECT_TRUE(is_new) << "written twice";
            }
        }
    }
  }
  for (unsigned member = 0; member < members.size(); ++member) {
    EXPECT_EQ(come[member], to(members[member])) << "member " << member;
    for (const auto& [place, element] : come[member]) EXPECT_LT(place, route_of(member).room_for_what_comes());
  }
}

TEST(Route, EveryElementComesToItsPlace) {
  for (const Extents& n : {Extents{4, 4, 4}, Extents{5, 7, 3}, Extents{2, 1, 9}})
    for (const Grid grid : {Grid{1, 1}, Grid{3, 1}, Grid{1, 3}, Grid{2, 3}})
      for (const unsigned pieces : {1U, 2U, 5U}) {
        for (unsigned row = 0; row < grid.rows; ++row) {
          std::vector<Share> members;
          for (unsigned column = 0; column < grid.columns; ++column)
            members.emplace_back(n, grid, row * grid.columns + column);
          expect_carried(members, true, pieces, at_first, in_between);
        }
        for (unsigned column = 0; column < grid.columns && grid.rows > 1; ++column) {
          std::vector<Share> members;
          for (unsigned row = 0; row < grid.rows; ++row) members.emplace_back(n, grid, row * grid.columns + column);
          expect_carried(members, false, pieces, in_between, at_the_end);
        }
      }
}

TEST(Share, SlabsLieInBetweenAsAtFirstAndOneRowEndsAsInBetween) {
  const Share slab({4, 6, 5}, {2, 1}, 1), row({4, 6, 5}, {1, 3}, 1);
  EXPECT_EQ(at_first(slab), in_between(slab));
  EXPECT_EQ(at_the_end(row), in_between(row));
  EXPECT_EQ(row.room_of_result(), row.room_between());
}

TEST(Share, LinesBeginWithLinesOfTheCacheAndNeverAPowerOfTwoApart) {
  for (std::uint64_t length = 1; length <= 300; ++length) {
    EXPECT_GE(pitch_of(length), length);
    EXPECT_LT(pitch_of(length), length + 8);
    EXPECT_EQ(pitch_of(length) % 8, 4U);
  }
  EXPECT_EQ(pitch_of(0), 0U);
}

}  // namespace
}  // namespace fft
