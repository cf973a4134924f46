#include "ckpt/copy_layout.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace polder::ckpt {
namespace {

// Bytes from one half of a copy to the other.
std::uint64_t stride_of(std::uint64_t bytes) {
  return (sizeof(CopyHeader) + bytes + 63) / 64 * 64;
}

// The next members after `member`, cyclic, those of other nodes first and among these one of each node first: so two
// mirrors share a node only where there are no more nodes.
std::vector<std::size_t> mirrors_of(std::size_t member, std::span<const MemberPart> parts, std::uint32_t mirrors) {
  std::vector<std::uint64_t> used = {parts[member].node};
  std::vector<std::size_t> fresh, other, same;
  for (std::size_t step = 1; step < parts.size(); ++step) {
    const std::size_t candidate = (member + step) % parts.size();
    const std::uint64_t node = parts[candidate].node;
    if (std::find(used.begin(), used.end(), node) == used.end()) {
      fresh.push_back(candidate);
      used.push_back(node);
    } else {
      (node != parts[member].node ? other : same).push_back(candidate);
    }
  }
  fresh.insert(fresh.end(), other.begin(), other.end());
  fresh.insert(fresh.end(), same.begin(), same.end());
  fresh.resize(mirrors);
  return fresh;
}

}  // namespace

std::uint64_t checksum_of(std::uint64_t epoch, std::span<const std::byte> data) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t sum = (epoch + data.size() * kOdd) ^ kOdd;
  for (std::size_t at = 0; at < data.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data.data() + at, std::min<std::size_t>(8, data.size() - at));
    sum = std::rotl((sum ^ word) * kOdd, 29);
  }
  return sum ^ (sum >> 32);
}

CopyLayout::CopyLayout(std::vector<MemberPart> parts, std::uint32_t mirrors)
    : parts_(std::move(parts)), mirrors_(mirrors) {
  assert(mirrors < parts_.size());
  memory_.resize(parts_.size());
  for (std::size_t member = 0; member < parts_.size(); ++member) {
    std::vector<std::size_t> keepers = mirrors_of(member, parts_, mirrors);
    keepers.insert(keepers.begin(), member);
    std::vector<std::uint64_t> places;
    for (const std::size_t keeper : keepers) {
      places.push_back(memory_[keeper]);
      memory_[keeper] += 2 * stride_of(parts_[member].bytes);
    }
    keepers_.push_back(std::move(keepers));
    places_.push_back(std::move(places));
  }
}

std::uint64_t CopyLayout::place(std::size_t member, std::size_t keeper, unsigned half) const {
  const auto& keepers = keepers_[member];
  const auto index = std::size_t(std::find(keepers.begin(), keepers.end(), keeper) - keepers.begin());
  assert(index < keepers.size());
  return places_[member][index] + half * stride_of(parts_[member].bytes);
}

}  // namespace polder::ckpt
