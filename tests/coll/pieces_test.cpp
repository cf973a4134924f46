#include "coll/port/pieces.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace polder::coll {
namespace {

// A column, nothing, a block in front of it, and single bytes.
const std::vector<StridedPart> kPieces{{40, 3, 5, 20}, {0, 4, 0, 0}, {3, 1, 7, 7}, {20, 4, 1, 3}};

std::vector<std::size_t> places_in_turn() {
  std::vector<std::size_t> places;
  for (const StridedPart& piece : kPieces)
    for (std::size_t block = 0; block < piece.blocks; ++block)
      for (std::size_t byte = 0; byte < piece.size; ++byte)
        places.push_back(piece.offset + block * piece.stride + byte);
  return places;
}

TEST(Pieces, AnyPartOfTheStreamIsReadAndWritten) {
  std::vector<std::byte> buffer(100);
  for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = std::byte(i);
  const Pieces pieces(buffer.data(), kPieces);
  const auto places = places_in_turn();
  ASSERT_EQ(pieces.bytes(), places.size());
  for (std::size_t at = 0; at <= places.size(); ++at)
    for (std::size_t bytes = 0; bytes <= places.size() - at; ++bytes) {
      std::vector<std::byte> some(bytes);
      pieces.read(at, some.data(), bytes);
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(some[i], std::byte(places[at + i])) << at << ' ' << bytes;

      std::vector<std::byte> expected(100), other(100);
      for (std::size_t i = 0; i < bytes; ++i) expected[places[at + i]] = some[i];
      Pieces(other.data(), kPieces).write(at, some.data(), bytes);
      ASSERT_EQ(other, expected) << at << ' ' << bytes;
    }
}

TEST(Pieces, WithoutBytesAreEmpty) {
  const std::vector<StridedPart> nothing{{5, 0, 8, 8}, {5, 3, 0, 8}};
  const Pieces pieces(nullptr, nothing);
  EXPECT_TRUE(pieces.empty());
  EXPECT_EQ(pieces.bytes(), 0u);
  pieces.read(0, nullptr, 0);
  pieces.write(0, nullptr, 0);
}

}  // namespace
}  // namespace polder::coll
