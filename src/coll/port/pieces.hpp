// Bytes that lie in pieces of a buffer, as one stream: those of the first piece, then those of the second. Letters are filled from
// it and emptied into it, so that nothing is packed before and behind.
#pragma once

#include <polder/collective.hpp>

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

 private:
  template <class Move>
  void each_run(std::size_t at, std::size_t bytes, Move&& move) const;

  std::byte* buffer_ = nullptr;
  std::vector<StridedPart> pieces_;  // that have bytes
  std::vector<std::size_t> ends_;    // of each, in the stream
};

}  // namespace polder::coll
