// Bytes of a peer's memory that were touched by what is under way: one interval, which is enough to see that two
// accesses do not meet. Where more than one region is touched it is taken for everything.
#pragma once

#include <algorithm>
#include <cstdint>

namespace polder::device::wire {

class Stretch {
 public:
  void add(std::uint64_t region, std::uint64_t begin, std::uint64_t bytes) {
    if (bytes != 0) add({region, begin, begin + bytes});
  }
  void add(const Stretch& other) {
    if (other.region_ == kNone) return;
    if (region_ == kNone) {
      *this = other;
    } else if (region_ != other.region_) {
      region_ = kSeveral;
    } else {
      begin_ = std::min(begin_, other.begin_);
      end_ = std::max(end_, other.end_);
    }
  }
  bool meets(std::uint64_t region, std::uint64_t begin, std::uint64_t bytes) const {
    if (region_ == kNone || region_ == kSeveral) return region_ == kSeveral;
    return region_ == region && begin < end_ && begin_ < begin + bytes;
  }
  bool empty() const { return region_ == kNone; }
  void clear() { region_ = kNone; }

  Stretch() = default;

 private:
  static constexpr std::uint64_t kNone = 0;  // regions are numbered from 1
  static constexpr std::uint64_t kSeveral = ~std::uint64_t{0};

  Stretch(std::uint64_t region, std::uint64_t begin, std::uint64_t end) : region_(region), begin_(begin), end_(end) {}

  std::uint64_t region_ = kNone;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace polder::device::wire
