// What a member copies onto desks and off them: past the cache where that is better, and measured where it could be copied by the kernel
// instead.
#pragma once

#include "coll/port/copy_ways.hpp"
#include "core/group/node_room.hpp"
#include "util/copy_block.hpp"
#include "util/outward_copy.hpp"
#include "util/platform.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace polder::coll {

// `measured`: what learns what they take; null if nothing does.
class DeskCopies {
 public:
  // `first`: so many copies in either direction find pages that this member has never touched, and say nothing of later ones.
  DeskCopies(const util::OutwardCopy& outward, std::uint64_t first) : outward_(outward), first_(first) {}

  void put(std::byte* desk, const void* from, std::size_t bytes, CopyWays* measured) {
    copy(measured, CopyWays::Step::put, puts_, bytes, [&] { outward_(desk, from, bytes); });
  }
  bool puts_past_cache(std::size_t bytes) const { return outward_.goes_past_cache(bytes); }
  // Into a vector of `all` bytes.
  void take(void* into, const void* desk, std::size_t bytes, std::size_t all, CopyWays* measured) {
    copy(measured, CopyWays::Step::take, takes_, bytes, [=] {
      if (bytes <= core::NodeLine::kContent)
        std::memcpy(into, desk, bytes);
      else if (all >= kPastCache)
        util::copy_block_past_cache(into, desk, bytes);
      else
        util::copy_block(into, desk, bytes);
    });
  }
  // Combines what lies there with something else: `fold` says whether it has.
  template <class FoldThem>
  bool combine(std::size_t bytes, CopyWays* measured, FoldThem&& fold) {
    if (measured == nullptr) return fold();
    const std::uint64_t begin = util::cycles();
    const bool is_done = fold();
    if (is_done && takes_ == first_)
      measured->note(CopyWays::Step::take, double(util::cycles() - begin) / double(bytes));
    if (is_done && takes_ < first_) ++takes_;
    return is_done;
  }
  // To another member's memory elsewhere.
  void outward(void* to, const void* from, std::size_t bytes) { outward_(to, from, bytes); }

 private:
  // Bytes of a vector that would leave nothing else in the cache.
  static constexpr std::size_t kPastCache = std::size_t{16} << 20;

  template <class Copy>
  void copy(CopyWays* measured, CopyWays::Step step, std::uint64_t& before, std::size_t bytes, Copy&& copy) {
    if (measured != nullptr && before == first_) return measured->measure(step, bytes, copy);
    if (measured != nullptr) ++before;
    copy();
  }

  util::OutwardCopy outward_;
  const std::uint64_t first_;
  std::uint64_t puts_ = 0, takes_ = 0;  // of calls that are measured, up to first_
};

}  // namespace polder::coll
