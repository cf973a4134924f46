// Many small pieces in one message: their data, and behind it where it goes.
//
//   data | run | run | ...
//
// A run stands for pieces of the same size at the same distance from each other, as the rows of a patch are: a
// two-dimensional patch needs one, however many rows it has.
#pragma once

#include "device/region.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace polder::core {

struct PackedRun {
  std::uint64_t remote = 0;  // of the first piece, in the segment
  std::int64_t stride = 0;   // from one to the next
  std::uint32_t bytes = 0;   // of each
  std::uint32_t count = 0;

  // The bytes of all of them, in the order in which they are packed.
  std::uint64_t total() const { return std::uint64_t{bytes} * count; }
};

// Finds the runs of pieces that come one after the other.
class RunList {
 public:
  static constexpr std::size_t kMost = 64;

  // Whether another piece can be added, whatever it is.
  bool has_room() const { return count_ < kMost; }
  void add(std::uint64_t remote, std::uint32_t bytes);
  void clear() { count_ = 0; }
  std::span<const PackedRun> runs() const { return {runs_, count_}; }
  std::size_t size_bytes() const { return count_ * sizeof(PackedRun); }

 private:
  PackedRun runs_[kMost];
  std::size_t count_ = 0;
};

// Splits a message body into data and runs, and hands out `visit(remote, bytes, offset in the data)` for each piece
// until it returns an error.
template <class Visit>
auto for_each_packed(std::span<const std::byte> runs, Visit&& visit) -> decltype(visit(0, 0, 0)) {
  std::uint64_t at = 0;
  for (; runs.size() >= sizeof(PackedRun); runs = runs.subspan(sizeof(PackedRun))) {
    PackedRun run;
    std::memcpy(&run, runs.data(), sizeof run);
    for (std::uint32_t i = 0; i < run.count; ++i, at += run.bytes) {
      auto status = visit(run.remote + std::uint64_t(run.stride) * i, std::uint64_t{run.bytes}, at);
      if (!status.ok()) return status;
    }
  }
  return {};
}

}  // namespace polder::core
