#include "block_matrix.hpp"

#include <cassert>
#include <string>
#include <utility>

namespace contract {
namespace {

constexpr std::uint64_t kAlignment = 64;  // a cache line, and what vectors want

std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

std::uint64_t bytes_at(polder::Rank rank, const Grid& grid, const Owners& owners, apps::Number number) {
  std::uint64_t bytes = 0;
  for (std::uint64_t block = 0; block < owners.size(); ++block)
    if (owners[block] == rank) bytes += padded(grid.elements(block) * apps::bytes_of(number));
  return bytes;
}

BlockMatrix::BlockMatrix(const apps::Team& team, apps::Number number, const Grid& grid, Owners owners)
    : team_(&team), number_(number), grid_(grid), owners_(std::move(owners)) {
  std::vector<std::uint64_t> ends(team.size());
  for (std::uint64_t block = 0; block < owners_.size(); ++block) {
    std::uint64_t& end = ends[owners_[block]];
    offsets_.push_back(end);
    end += padded(bytes(block));
  }
}

BlockMatrix::BlockMatrix(BlockMatrix&& other) noexcept
    : team_(other.team_),
      number_(other.number_),
      grid_(other.grid_),
      owners_(std::move(other.owners_)),
      offsets_(std::move(other.offsets_)),
      segment_ids_(std::move(other.segment_ids_)),
      segment_(std::exchange(other.segment_, {})) {}

BlockMatrix::~BlockMatrix() {
  // Late failures change nothing: the segment ends with the runtime.
  if (segment_.data != nullptr) (void)team_->runtime().delete_segment(segment_.id);
}

Result<BlockMatrix> BlockMatrix::create(const apps::Team& team, apps::Number number, const Grid& grid, Owners owners) {
  const std::uint64_t bytes = std::max<std::uint64_t>(bytes_at(team.rank(), grid, owners, number), kAlignment);
  BlockMatrix matrix(team, number, grid, std::move(owners));
  Result<polder::Segment> segment = team.runtime().create_segment({.size = bytes, .notifications = 0});
  Status status = segment.status();
  if (!status.ok())
    status = Status(status.code(),
                    "cannot make a segment of " + std::to_string(bytes) + " bytes for blocks: " + status.to_string());
  status = team.agree(status);
  if (segment.ok()) matrix.segment_ = *segment;
  if (!status.ok()) return status;
  Result<std::vector<polder::SegmentId>> ids = team.allgather(matrix.segment_.id);
  if (!ids.ok()) return std::move(ids).status();
  matrix.segment_ids_ = *std::move(ids);
  return matrix;
}

std::vector<std::uint64_t> BlockMatrix::own_blocks() const {
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t block = 0; block < owners_.size(); ++block)
    if (owners_[block] == team_->rank()) blocks.push_back(block);
  return blocks;
}

std::span<std::byte> BlockMatrix::own(std::uint64_t block) const {
  assert(owners_[block] == team_->rank());
  return {segment_.data + offsets_[block], bytes(block)};
}

polder::GlobalAddress BlockMatrix::address(std::uint64_t block) const {
  return {owners_[block], segment_ids_[owners_[block]], offsets_[block]};
}

}  // namespace contract
