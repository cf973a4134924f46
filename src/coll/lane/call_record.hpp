// What a member says of the collective that it is in: with every letter, and in its own memory for those who wait for
// it. Members whose records differ made different calls.
#pragma once

#include "util/random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace polder::coll {

enum class Kind : std::uint8_t {
  none,
  barrier,
  broadcast,
  reduce,
  allreduce,
  reduce_scatter,
  allgather,
  gather,
  scatter,
  alltoall,
  scan,
  exscan,
  neighbours,
};
constexpr Kind kLastKind = Kind::neighbours;
std::string_view to_string(Kind kind);
// Nothing: there is no kind of that name.
std::optional<Kind> kind_of(std::string_view name);

constexpr bool reduces(Kind kind) {
  return kind == Kind::reduce || kind == Kind::allreduce || kind == Kind::reduce_scatter || kind == Kind::scan ||
         kind == Kind::exscan;
}
constexpr bool is_rooted(Kind kind) {
  return kind == Kind::broadcast || kind == Kind::reduce || kind == Kind::gather || kind == Kind::scatter;
}
// One for each member, of any size.
constexpr bool has_parts(Kind kind) {
  return kind == Kind::reduce_scatter || kind == Kind::allgather || kind == Kind::gather || kind == Kind::scatter;
}

struct CallRecord {
  static constexpr std::uint32_t kNoRoot = ~std::uint32_t{0};
  static constexpr std::uint8_t kNoType = 0xff;  // bytes, or elements of the user's
  static constexpr std::uint8_t kUserFunction = 0xfe, kNoOperation = 0xff;
  // Beyond those of accumulate.
  static constexpr std::uint8_t kFloat16 = 0x80, kBfloat16 = 0x81;  // types
  static constexpr std::uint8_t kExact = 0x40;                      // with a type: summed exactly
  static constexpr std::uint8_t kExactSums = 0x7f;
  static constexpr std::uint8_t kLogical = 0x80, kLeastPlaced = 0x90, kLargestPlaced = 0x91;  // operations

  std::uint64_t number = 0;  // of the collectives of its group, from 1
  std::uint64_t count = 0;   // elements, of all parts together
  std::uint32_t root = kNoRoot;
  std::uint32_t element = 0;  // bytes, if it fits
  Kind kind = Kind::none;
  std::uint8_t operation = kNoOperation;  // a Reduction, or one of those above
  std::uint8_t type = kNoType;            // a DataType, likewise
  std::uint8_t algorithm = 0;             // a row of the table
  std::uint32_t signature = 0;            // of all but the number; 0: not yet signed

  // Once the fields above are as they stay: a call that is made again and again is signed once. `parts`: a hash of how the elements are
  // shared out. No letter need show that: a member that gets nothing sends none, and on a node all read from one place.
  void sign(std::uint32_t parts = 0) {
    std::uint64_t hash = util::mix(count ^ std::uint64_t{parts} << 32);
    hash = util::mix(hash ^ (std::uint64_t{root} << 32 | element));
    hash = util::mix(hash ^ (std::uint64_t(kind) << 24 | operation << 16 | type << 8 | algorithm));
    signature = std::uint32_t(hash >> 32) | 1;
  }
  // 23 bits that differ where records do, nearly always. REQUIRES: signed.
  std::uint32_t fingerprint() const { return std::uint32_t(util::mix(number ^ std::uint64_t{signature} << 32) >> 41); }

  // "allreduce of 8 elements of float64 by sum"
  std::string describe() const;
  // "count: 8 here, 16 there": the first field in which calls with the same number differ.
  static std::string difference(const CallRecord& here, const CallRecord& there);
};
static_assert(sizeof(CallRecord) == 32);

// Why combining failed, for people, with an end.
struct Reason {
  static constexpr std::size_t kRoom = 120;
  char text[kRoom] = {};

  Reason() = default;
  explicit Reason(std::string_view why) { std::memcpy(text, why.data(), std::min(why.size(), kRoom - 1)); }
};

}  // namespace polder::coll
