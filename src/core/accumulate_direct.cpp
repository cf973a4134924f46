#include "core/accumulate_direct.hpp"

#include "core/accumulate_kernels.hpp"
#include "core/engine.hpp"
#include "util/deadline.hpp"
#include "util/platform.hpp"

#include <algorithm>
#include <string>

#include <sched.h>

namespace polder::core {
namespace {

// The lock names its owner, so that the lock of a rank that died is taken over. Several threads of a rank exclude each
// other like ranks.
class LockedBlock {
 public:
  LockedBlock(Engine& engine, ElementLock& lock) : engine_(engine), lock_(lock), me_(engine.rank() + 1) {}
  ~LockedBlock() {
    if (held_) lock_.owner.store(0, std::memory_order_release);
  }
  LockedBlock(const LockedBlock&) = delete;
  LockedBlock& operator=(const LockedBlock&) = delete;

  Status acquire(Timeout timeout) {
    if (try_take(0)) [[likely]]
      return {};
    return contend(timeout);
  }

 private:
  bool try_take(std::uint32_t from) {
    held_ = lock_.owner.compare_exchange_strong(from, me_, std::memory_order_acquire, std::memory_order_relaxed);
    return held_;
  }

  // Critical sections take a microsecond or two; whoever holds one much longer has lost its core, so give it ours.
  Status contend(Timeout timeout) {
    const util::Deadline deadline(timeout);
    for (int rounds = 0;; ++rounds) {
      const std::uint32_t owner = lock_.owner.load(std::memory_order_relaxed);
      if (owner == 0 && try_take(0)) return {};
      if (owner != 0 && owner != me_ && engine_.bootstrap->health(owner - 1) != Health::healthy && try_take(owner))
        return {};
      if (rounds < 200) {
        util::cpu_relax();
        continue;
      }
      if (engine_.peers.closed()) return Code::closed;
      if (deadline.passed())
        return {Code::timeout, "elements are locked by rank " + std::to_string(owner == 0 ? 0 : owner - 1)};
      sched_yield();
    }
  }

  Engine& engine_;
  ElementLock& lock_;
  const std::uint32_t me_;
  bool held_ = false;
};

}  // namespace

Status accumulate_direct(Engine& engine, const PeerSegment& segment, const Accumulation& how, const std::byte* source,
                         std::uint64_t offset, std::size_t bytes, Timeout timeout) {
  const AccumulateKernel kernel = accumulate_kernel(how.op, how.type);
  const std::size_t element = size_of(how.type);
  while (bytes != 0) {
    const std::uint64_t block = offset / SegmentControl::kLockSpan;
    const std::size_t part = std::min<std::size_t>(bytes, (block + 1) * SegmentControl::kLockSpan - offset);
    LockedBlock locked(engine, segment.control->locks[block % SegmentControl::kLocks]);
    if (Status status = locked.acquire(timeout); !status.ok()) return status;
    kernel(segment.data + offset, source, part / element, how.scale);
    source += part;
    offset += part;
    bytes -= part;
  }
  return {};
}

}  // namespace polder::core
