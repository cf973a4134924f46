#include "core/direct/accumulate_direct.hpp"

#include "core/direct/atomic_direct.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "util/assert.hpp"
#include "util/platform.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include <sched.h>

namespace polder::core {

DirectAccumulation::DirectAccumulation(const Outside& outside, const Progress& progress, const PeerSegment& segment,
                                       AccumulateKernel kernel, DataType type, const void* scale)
    : outside_(outside),
      progress_(progress),
      segment_(segment),
      kernel_(kernel),
      scale_(scale),
      element_shift_(unsigned(std::countr_zero(size_of(type)))),
      me_(outside.rank() + 1) {
  POLDER_ASSERT(segment.data != nullptr && segment.control != nullptr && kernel != nullptr);
}

Status DirectAccumulation::add(const std::byte* source, std::uint64_t offset, std::size_t bytes, Timeout timeout) {
  POLDER_ASSERT(segment_.contains(offset, bytes) && bytes % (std::size_t{1} << element_shift_) == 0);
  while (bytes != 0) {
    const std::uint64_t block = offset / SegmentControl::kLockSpan;
    const std::size_t begun =
        util::round_up((block + 1) * SegmentControl::kLockSpan - offset, std::size_t{1} << element_shift_);
    const std::size_t part = std::min<std::size_t>(bytes, begun);
    if (Status status = hold(block, timeout); !status.ok()) [[unlikely]]
      return status;
    std::byte* const target = segment_.data + offset;
    kernel_(target, source, target, part >> element_shift_, scale_);
    source += part;
    offset += part;
    bytes -= part;
    combined_ += part;
  }
  return {};
}

Result<std::uint64_t> DirectAccumulation::fetch(std::uint64_t offset, std::uint64_t operand, Timeout timeout) {
  POLDER_ASSERT(segment_.contains(offset, std::size_t{1} << element_shift_));
  if (Status status = hold(offset / SegmentControl::kLockSpan, timeout); !status.ok()) return status;
  return combine_direct(segment_.data + offset, kernel_, std::size_t{1} << element_shift_, operand);
}

// Several threads of a rank exclude each other like ranks.
Status DirectAccumulation::hold(std::uint64_t block, Timeout timeout) {
  ElementLock& lock = segment_.control->locks[block % SegmentControl::kLocks];
  if (held_ == &lock) return {};
  release();
  std::uint32_t free = 0;
  if (!lock.owner.compare_exchange_strong(free, me_, std::memory_order_acquire, std::memory_order_relaxed))
    if (Status status = contend(lock, timeout); !status.ok()) return status;
  held_ = &lock;
  return {};
}

// Critical sections take a microsecond or two; whoever holds one much longer has lost its core, so give it ours.
Status DirectAccumulation::contend(ElementLock& lock, Timeout timeout) {
  if (!deadline_) deadline_.emplace(timeout, progress_.clock());
  const auto take_from = [&](std::uint32_t owner) {
    return lock.owner.compare_exchange_strong(owner, me_, std::memory_order_acquire, std::memory_order_relaxed);
  };
  for (int rounds = 0;; ++rounds) {
    const std::uint32_t owner = lock.owner.load(std::memory_order_relaxed);
    if (owner == 0 && take_from(0)) return {};
    if (owner != 0 && owner != me_ && outside_.bootstrap->health(owner - 1) != Health::healthy && take_from(owner))
      return {};
    if (rounds < 200) {
      util::cpu_relax();
      continue;
    }
    if (progress_.closed()) return Code::closed;
    if (deadline_->passed())
      return {Code::timeout, "elements are locked by rank " + std::to_string(owner == 0 ? 0 : owner - 1)};
    util::yield_core();
  }
}

}  // namespace polder::core
