#include "coll/lane/scratch.hpp"

#include "util/platform.hpp"

#include <algorithm>

namespace polder::coll {

std::byte* Scratch::take(std::size_t bytes) {
  bytes = util::round_up(std::max<std::size_t>(bytes, 1), kAlignment);
  for (; block_ < blocks_.size(); ++block_, used_ = 0)
    if (blocks_[block_].size - used_ >= bytes) {
      std::byte* const place = blocks_[block_].data.get() + used_;
      used_ += bytes;
      return place;
    }
  const std::size_t size = std::max<std::size_t>(bytes, 4096);
  blocks_.push_back({decltype(Block::data)(new (std::align_val_t{kAlignment}) std::byte[size]), size});
  used_ = bytes;
  return blocks_.back().data.get();
}

// Large blocks that many small ones have grown beside are not kept for ever.
void Scratch::reset() {
  std::size_t kept = 0;
  std::erase_if(blocks_, [&](const Block& block) { return (kept += block.size) > kKept; });
  block_ = used_ = 0;
}

}  // namespace polder::coll
