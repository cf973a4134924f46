// Allocations that were freed and are kept for the next of the same size.
//
// Programs over Global Arrays make and destroy temporary arrays by the hundred, mostly of a few sizes. The kernel takes
// about 3 us for each fresh page of shared memory, touched singly or all at once; to clear a page takes 0.1 us.
#pragma once

#include <polder/allocation.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace polder::armci {

// Of one team. Its members make the same calls in the same order, so each has the same spares in the same order and
// decides alike.
class Spares {
 public:
  bool empty() const { return spares_.empty(); }

  // The latest whose members have exactly these bytes, by place in the group; null if there is none.
  std::unique_ptr<Allocation> take(std::span<const std::uint64_t> sizes);

  // REQUIRES: committed with `gather`, and no member uses it any more. Lets go of the oldest until no member keeps more
  // than `limit` bytes.
  void keep(std::unique_ptr<Allocation> allocation, std::uint64_t limit);

  void clear();

 private:
  static constexpr std::size_t kMost = 64;  // a search should stay short
  struct Spare {
    std::unique_ptr<Allocation> allocation;
    std::uint64_t bytes = 0;  // of the member that gave most
  };

  std::vector<Spare> spares_;  // the oldest first
  std::uint64_t bytes_ = 0;
};

}  // namespace polder::armci
