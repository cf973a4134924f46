#include "coll/consistent/block_layout.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace polder::coll {
namespace {

constexpr std::size_t kMostBytes = std::size_t(std::numeric_limits<std::ptrdiff_t>::max());

// bytes and end of one piece. False: a size that no memory has.
bool measure_piece(const StridedPart& piece, std::size_t& bytes, std::size_t& end) {
  std::size_t last = 0;
  if (__builtin_mul_overflow(piece.blocks, piece.size, &bytes)) return false;
  if (bytes == 0) return true;
  if (__builtin_mul_overflow(piece.blocks - 1, piece.stride, &last)) return false;
  return !__builtin_add_overflow(last, piece.size, &last) && !__builtin_add_overflow(last, piece.offset, &end) &&
         end <= kMostBytes;
}

}  // namespace

Result<BlockLayout::Extent> BlockLayout::measure(std::span<const StridedPart> pieces) {
  Extent all;
  for (const StridedPart& piece : pieces) {
    if (piece.blocks > 1 && piece.stride < piece.size)
      return Status{Code::invalid_argument, "blocks of " + std::to_string(piece.size) + " bytes, " +
                                                std::to_string(piece.stride) + " from one to the next: they overlap"};
    std::size_t bytes = 0, end = 0;
    if (!measure_piece(piece, bytes, end) || __builtin_add_overflow(all.bytes, bytes, &all.bytes))
      return Status{Code::invalid_size, "blocks that no memory holds"};
    all.extent = std::max(all.extent, end);
  }
  return all;
}

void BlockLayout::lay_out(void* buffer, std::span<const StridedPart> pieces) {
  used_ = !pieces.empty();
  pieces_ = Pieces(buffer, pieces);
}

std::byte* BlockLayout::packed() {
  packed_.resize(pieces_.bytes());
  return packed_.data();
}

void BlockLayout::gather() {
  pieces_.read(0, packed(), pieces_.bytes());
}

void BlockLayout::scatter(std::size_t bytes) {
  pieces_.write(0, packed(), bytes);
}

}  // namespace polder::coll
