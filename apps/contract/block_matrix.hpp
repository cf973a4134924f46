// A matrix whose blocks lie with many ranks, each in a segment of its owner, where all others can read it.
#pragma once

#include "blocking.hpp"
#include "common/npy.hpp"
#include "common/team.hpp"

#include <polder/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace contract {

// Bytes of the blocks that `rank` has, with what alignment costs.
std::uint64_t bytes_at(polder::Rank rank, const Grid& grid, const Owners& owners, apps::Number number);

class BlockMatrix {
 public:
  // Collective: memory for the blocks that this rank has, all 0. `owners` has a rank for each block of the grid and is the
  // same everywhere. The team must outlive the matrix. out_of_memory and others by segments: at all ranks.
  static Result<BlockMatrix> create(const apps::Team& team, apps::Number number, const Grid& grid, Owners owners);

  BlockMatrix(BlockMatrix&& other) noexcept;
  BlockMatrix& operator=(BlockMatrix&&) = delete;
  // Not collective: the caller sees to it that nobody reads it any more.
  ~BlockMatrix();

  const Grid& grid() const { return grid_; }
  apps::Number number() const { return number_; }
  polder::Rank owner(std::uint64_t block) const { return owners_[block]; }
  // The blocks of this rank, ascending.
  std::vector<std::uint64_t> own_blocks() const;
  std::uint64_t bytes(std::uint64_t block) const { return grid_.elements(block) * apps::bytes_of(number_); }

  // REQUIRES: this rank has the block. Row-major, without gaps.
  std::span<std::byte> own(std::uint64_t block) const;
  // Where the block lies, for gets.
  polder::GlobalAddress address(std::uint64_t block) const;

 private:
  BlockMatrix(const apps::Team& team, apps::Number number, const Grid& grid, Owners owners);

  const apps::Team* team_;
  apps::Number number_;
  Grid grid_;
  Owners owners_;
  std::vector<std::uint64_t> offsets_;          // of each block in its owner's segment
  std::vector<polder::SegmentId> segment_ids_;  // of each rank
  polder::Segment segment_;
};

}  // namespace contract
