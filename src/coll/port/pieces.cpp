#include "coll/port/pieces.hpp"

#include "util/assert.hpp"
#include "util/copy.hpp"

#include <algorithm>

namespace polder::coll {

Pieces::Pieces(void* buffer, std::span<const StridedPart> pieces) : buffer_(static_cast<std::byte*>(buffer)) {
  std::size_t end = 0;
  for (const StridedPart& piece : pieces) {
    if (piece.blocks * piece.size == 0) continue;
    pieces_.push_back(piece);
    ends_.push_back(end += piece.blocks * piece.size);
  }
}

// `move(place, bytes)` for each run of bytes that lie together.
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
      move(buffer_ + piece.offset + block * piece.stride + skipped, run);
      bytes -= run;
    }
  }
}

void Pieces::read(std::size_t at, std::byte* into, std::size_t bytes) const {
  each_run(at, bytes, [&into](const std::byte* place, std::size_t run) {
    util::copy(into, place, run);
    into += run;
  });
}

void Pieces::write(std::size_t at, const std::byte* from, std::size_t bytes) const {
  each_run(at, bytes, [&from](std::byte* place, std::size_t run) {
    util::copy(place, from, run);
    from += run;
  });
}

}  // namespace polder::coll
