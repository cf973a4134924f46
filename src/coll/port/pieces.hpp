// Bytes that lie in pieces of a buffer, as one stream: those of the first piece, then those of the second. Letters are filled from
// it and emptied into it, so that nothing is packed before and behind.
#pragma once

#include "util/assert.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace polder::coll {

class Pieces {
 public:
  Pieces() = default;
  // The buffer stays the caller's. REQUIRES: blocks of a piece do not overlap, and their bytes are no more than a std::size_t counts.
  Pieces(void* buffer, std::span<const StridedPart> pieces);

  bool empty() const { return pieces_.empty(); }
  std::size_t bytes() const { return ends_.empty() ? 0 : ends_.back(); }

  // `bytes` of the stream from `at` on. REQUIRES: it has them. Cost: a search among the pieces, then a copy for each block.
  void read(std::size_t at, std::byte* into, std::size_t bytes) const;
  void write(std::size_t at, const std::byte* from, std::size_t bytes) const;
  // Where that part lies, if in one run of bytes; else null. Cost: a search, and as many steps as pieces follow each other there.
  std::byte* one_run(std::size_t at, std::size_t bytes) const;
  // That part as runs of bytes, those that follow each other as one; none: they would be more than `most`. Cost: as one_run().
  std::vector<std::span<std::byte>> runs(std::size_t at, std::size_t bytes, std::size_t most) const;
  // `move(place, bytes)`, which returns whether to go on, for each run of bytes that lie together in a block.
  template <class Move>
  void each_run(std::size_t at, std::size_t bytes, Move&& move) const;

 private:
  std::byte* buffer_ = nullptr;
  std::vector<StridedPart> pieces_;  // that have bytes
  std::vector<std::size_t> ends_;    // of each, in the stream
};

template <class Move>
void Pieces::each_run(std::size_t at, std::size_t bytes, Move&& move) const {
  if (bytes == 0) return;
  POLDER_ASSERT(at < this->bytes() && bytes <= this->bytes() - at);
  auto index = std::size_t(std::upper_bound(ends_.begin(), ends_.end(), at) - ends_.begin());
  for (std::size_t within = index == 0 ? at : at - ends_[index - 1]; bytes != 0; within = 0, ++index) {
    const StridedPart& piece = pieces_[index];
    std::size_t block = within / piece.size, skipped = within % piece.size;
    for (; block < piece.blocks && bytes != 0; ++block, skipped = 0) {
      const std::size_t run = std::min(piece.size - skipped, bytes);
      if (!move(buffer_ + piece.offset + block * piece.stride + skipped, run)) return;
      bytes -= run;
    }
  }
}

}  // namespace polder::coll
