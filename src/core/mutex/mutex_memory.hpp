// Where mutexes lie: a word and a set of those who wait, a bit for each member, in the memory of their ranks.
//
//   word: holder + 1 (32 bits) | announcements since it took the mutex (32 bits)
#pragma once

#include "core/group/group_ports.hpp"
#include "util/assert.hpp"
#include "util/sparse_table.hpp"

#include <polder/allocation.hpp>
#include <polder/atomic.hpp>
#include <polder/group.hpp>
#include <polder/mutex.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace polder::core {

struct MutexWord {
  std::uint64_t value = 0;
  bool is_free() const { return value >> 32 == 0; }
  // REQUIRES: not free.
  std::size_t holder() const {
    POLDER_ASSERT(!is_free());
    return std::size_t(value >> 32) - 1;
  }
  std::uint64_t announcements() const { return value & 0xffffffffu; }
  static MutexWord held_by(std::size_t member, std::uint64_t announcements = 0) {
    return {std::uint64_t(member + 1) << 32 | (announcements & 0xffffffffu)};
  }
  // Of the same holder, and still one in which somebody has announced himself.
  MutexWord with_one_announcement() const { return {(value & ~std::uint64_t{0xffffffff}) | 1}; }
};

struct FoundMutex {
  // Keeps the threads of this rank from each other: a mutex knows ranks only.
  struct Local {
    std::atomic<bool> taken{false};
  };
  MutexName name;
  GlobalAddress word;
  GlobalAddress waiting;  // the set
  Local* local = nullptr;
};

class MutexMemory {
 public:
  static constexpr std::size_t kBits = 64;      // of a word of the set
  static constexpr NotificationId kWakeUp = 0;  // of a member's own part

  // Collective over the group. invalid_size: more than a segment holds; invalid_group: it has not been committed.
  static Result<std::unique_ptr<Allocation>> allocate(const GroupPorts& ports, Group& group, std::size_t count,
                                                      Timeout timeout);
  MutexMemory(const GroupPorts& ports, Group& group, std::unique_ptr<Allocation> memory);

  const GroupPorts& ports() const { return ports_; }
  std::size_t me() const { return me_; }  // this rank's index in the group
  std::size_t members() const { return group_.size(); }
  Rank rank_of(std::size_t member) const { return group_.absolute(Rank(member)); }
  bool is_gone(std::size_t member) const;
  std::size_t count(Rank rank) const;
  SegmentId segment() const { return memory_->id(); }
  Status destroy(Timeout timeout) { return memory_->free(timeout); }

  Result<FoundMutex> find(MutexName which) const;
  static std::string describe(MutexName which);

  Result<std::uint64_t> apply(AtomicOp op, GlobalAddress place, std::uint64_t operand, std::uint64_t compare = 0);
  Result<MutexWord> load(const FoundMutex& mutex);
  // True if `from` was there and is `to` now; else `from` is what is there.
  Result<bool> replace(const FoundMutex& mutex, MutexWord& from, MutexWord to);

  // Of this rank, by whoever handed a mutex to it.
  std::atomic<std::uint32_t> wake_ups{0};

 private:
  static std::size_t bytes_of_one(std::size_t members);
  static std::vector<std::uint32_t> counts_of(const Allocation& memory, std::size_t members);

  const GroupPorts& ports_;
  Group& group_;
  const std::size_t me_;
  const std::unique_ptr<Allocation> memory_;
  const std::vector<std::uint32_t> counts_;  // by member
  const std::size_t largest_count_;
  mutable util::SparseTable<FoundMutex::Local> locals_;
};

}  // namespace polder::core
