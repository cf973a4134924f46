// Accumulate into memory that this process can load and store, block by block under the segment's element locks.
#pragma once

#include "core/direct/accumulate_kernels.hpp"
#include "core/segment/peer_segment.hpp"
#include "util/deadline.hpp"
#include "util/platform.hpp"

#include <polder/accumulate.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace polder::core {

class Progress;
struct Outside;

// Plain loads and stores go to any address.
inline constexpr bool kUnalignedAccess = POLDER_X86 != 0;

// That an element in memory must have, in bytes.
constexpr std::size_t alignment_of(DataType type) {
  if (kUnalignedAccess) return 1;
  return type == DataType::complex64 ? 4 : std::min<std::size_t>(size_of(type), 8);
}

// Combines pieces into a segment. The lock of a piece's block is kept until a piece lies in another block, so that the
// short rows of a patch do not pay for one each. At most one lock is held.
class DirectAccumulation {
 public:
  // REQUIRES: segment.data and segment.control are not null, the kernel is not.
  DirectAccumulation(const Outside& outside, const Progress& progress, const PeerSegment& segment,
                     AccumulateKernel kernel, DataType type, const void* scale);
  ~DirectAccumulation() { release(); }
  DirectAccumulation(const DirectAccumulation&) = delete;
  DirectAccumulation& operator=(const DirectAccumulation&) = delete;

  // An element belongs to the block that it begins in. REQUIRES: the range lies inside, offset and bytes fit the element. Waits only where another rank or thread is
  // combining into the same 16 kB, for `timeout` in all calls together. timeout: blocks before the one that is locked
  // are done, the others are not.
  Status add(const std::byte* source, std::uint64_t offset, std::size_t bytes, Timeout timeout);

  // Combines one element of at most 8 bytes with `operand` and returns its old bits: atomic against atomics as well,
  // which know nothing of locks. timeout: nothing has changed.
  Result<std::uint64_t> fetch(std::uint64_t offset, std::uint64_t operand, Timeout timeout);

  // Bytes that add() has combined so far.
  std::uint64_t combined() const { return combined_; }

 private:
  Status hold(std::uint64_t block, Timeout timeout);
  Status contend(ElementLock& lock, Timeout timeout);
  // Only while it is ours: a rank that was declared failed and lives may have lost it to another one.
  void release() {
    std::uint32_t owner = me_;
    if (held_ != nullptr)
      held_->owner.compare_exchange_strong(owner, 0, std::memory_order_release, std::memory_order_relaxed);
    held_ = nullptr;
  }

  const Outside& outside_;
  const Progress& progress_;
  const PeerSegment& segment_;
  const AccumulateKernel kernel_;
  const void* const scale_;
  const unsigned element_shift_;  // sizes of elements are powers of 2
  const std::uint32_t me_;        // as the lock names its owner, so that the lock of a rank that died is taken over
  ElementLock* held_ = nullptr;
  std::uint64_t combined_ = 0;
  std::optional<util::Deadline> deadline_;  // runs from the first lock that another one held
};

}  // namespace polder::core
