// What is sorted: records of 100 bytes that begin with a key of 10 bytes, compared as unsigned bytes (the Indy and
// Daytona formats of sortbenchmark.org).
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace terasort {

inline constexpr std::size_t kKeyBytes = 10;
inline constexpr std::size_t kRecordBytes = 100;

// Positions of records fit 48 bits: 28 PB of data.
inline constexpr int kPositionBits = 48;
inline constexpr std::uint64_t kMostRecords = std::uint64_t{1} << kPositionBits;

template <class Word>
Word load_big_endian(const std::byte* from) {
  static_assert(std::endian::native == std::endian::little);
  Word word;
  std::memcpy(&word, from, sizeof(word));
  if constexpr (sizeof(Word) == 8)
    return __builtin_bswap64(word);
  else
    return __builtin_bswap16(word);
}

// The first 8 bytes of a key as a number: comparing numbers compares keys.
inline std::uint64_t key_prefix(const std::byte* record) {
  return load_big_endian<std::uint64_t>(record);
}

// The last 2 bytes of a key above a position: one word that breaks ties between equal prefixes, and between equal keys.
inline std::uint64_t key_tail(const std::byte* record, std::uint64_t position) {
  return std::uint64_t{load_big_endian<std::uint16_t>(record + 8)} << kPositionBits | position;
}

// A key and a position, ordered by key and then by position, so no two records of a file are equal. What the position
// counts (records of the file, or of a rank's memory) is up to the user.
struct PlacedKey {
  std::uint64_t prefix = 0;
  std::uint64_t tail = 0;

  static PlacedKey of(const std::byte* record, std::uint64_t position) {
    return {key_prefix(record), key_tail(record, position)};
  }

  std::uint64_t position() const { return tail & (kMostRecords - 1); }
  bool same_key(const PlacedKey& other) const {
    return prefix == other.prefix && tail >> kPositionBits == other.tail >> kPositionBits;
  }

  // clang-tidy 14 takes the zero that it is compared with for a pointer. NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const PlacedKey&, const PlacedKey&) = default;
};

static_assert(sizeof(PlacedKey) == 16);

// The key prefixes that can occur somewhere.
struct PrefixRange {
  std::uint64_t lowest = 0;
  std::uint64_t highest = ~std::uint64_t{0};
};

}  // namespace terasort
