// Who keeps copies of whom, and where in its memory: every member computes the same from the same table.
#pragma once

#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polder::ckpt {

// What stands before each copy.
struct CopyHeader {
  std::uint64_t epoch = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

// What each member says of itself.
struct MemberPart {
  std::uint64_t bytes = 0;
  std::uint64_t node = 0;
};

// Of bytes and of the epoch that they belong to: an older copy is not taken for a newer one. 8 bytes a step.
std::uint64_t checksum_of(std::uint64_t epoch, std::span<const std::byte> data);

class CopyLayout {
 public:
  CopyLayout() = default;
  // REQUIRES: mirrors < parts.size(). O(members^2).
  CopyLayout(std::vector<MemberPart> parts, std::uint32_t mirrors);

  std::size_t members() const { return parts_.size(); }
  std::span<const MemberPart> parts() const { return parts_; }
  std::uint32_t mirrors() const { return mirrors_; }
  std::size_t bytes(std::size_t member) const { return parts_[member].bytes; }
  // Members that keep copies of `member`'s part, itself first, then its mirrors.
  const std::vector<std::size_t>& keepers(std::size_t member) const { return keepers_[member]; }
  // Where in `keeper`'s memory the header of that copy is; the data follow it. REQUIRES: it is a keeper.
  std::uint64_t place(std::size_t member, std::size_t keeper, unsigned half) const;
  std::uint64_t memory(std::size_t keeper) const { return memory_[keeper]; }  // bytes of all copies there

 private:
  std::vector<MemberPart> parts_;
  std::uint32_t mirrors_ = 0;
  std::vector<std::vector<std::size_t>> keepers_;
  std::vector<std::vector<std::uint64_t>> places_;  // beside keepers_: of the first half
  std::vector<std::uint64_t> memory_;
};

}  // namespace polder::ckpt
