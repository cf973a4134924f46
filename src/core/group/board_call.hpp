// What a member puts on its board says which collective it is of, beside its number: members that are in different ones of the same
// number find that out, and take nothing of each other's.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>

namespace polder::core {

// An allgather, or an allreduce that goes by boards.
struct BoardCall {
  // What an allreduce combines by, and what; of an allgather neither.
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr std::uint16_t combining(std::uint8_t operation, std::uint8_t type) {
    return std::uint16_t(operation << 8 | type);
  }

  std::size_t bytes = 0;  // of each member, at most Group::kMaxGather
  std::uint16_t combines = kNone;

  // The upper half of a board's number.
  std::uint32_t print() const { return std::uint32_t(bytes) << 16 | combines; }
  // What `rank` is in is this one; else invalid_argument, with the first difference.
  Status check(std::uint64_t number, Rank rank) const {
    return std::uint32_t(number >> 32) == print() ? Status() : difference(std::uint32_t(number >> 32), rank);
  }

 private:
  Status difference(std::uint32_t there, Rank rank) const;
};

}  // namespace polder::core
