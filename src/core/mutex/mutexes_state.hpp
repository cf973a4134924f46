// Mutexes in the memory of their ranks, taken and handed on by atomics.
//
// A mutex is a word and a set of those who wait, a bit for each member:
//
//   word: holder + 1 (32 bits) | announcements since it took the mutex (32 bits)
//
// Who finds the mutex taken enters itself in the set and then *announces* that by adding 1 to the word. Whoever unlocks
// replaces exactly the word that it knows, so it notices every announcement and looks into the set before it goes. The
// set and the word are all there is: a rank that dies leaves a bit, which others skip, or its number in the word, which
// the next one replaces by its own. Locking and unlocking are one atomic each while nobody waits; handing over takes
// two, a look at the set, and a flag at the successor.
#pragma once

#include "core/group/group_ports.hpp"
#include "util/assert.hpp"
#include "util/deadline.hpp"
#include "util/sparse_table.hpp"

#include <polder/allocation.hpp>
#include <polder/mutex.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace polder::core {

class MutexesState {
 public:
  static Result<std::unique_ptr<Mutexes>> make(const GroupPorts& ports, Group& group, std::size_t count,
                                               Timeout timeout);
  MutexesState(const GroupPorts& ports, Group& group, std::unique_ptr<Allocation> memory);

  Status lock(MutexName which, Timeout timeout);
  Status unlock(MutexName which, Timeout timeout);
  std::size_t count(Rank rank) const;
  Status destroy(Timeout timeout) { return memory_->free(timeout); }

 private:
  // Keeps the threads of this rank from each other: a mutex knows ranks only.
  struct Local {
    std::atomic<bool> taken{false};
  };

  struct Mutex {
    MutexName name;
    GlobalAddress word;
    GlobalAddress waiting;  // the set
    Local* local = nullptr;
  };

  // The word of a mutex.
  struct Word {
    std::uint64_t value = 0;
    bool is_free() const { return value >> 32 == 0; }
    // REQUIRES: not free.
    std::size_t holder() const {
      POLDER_ASSERT(!is_free());
      return std::size_t(value >> 32) - 1;
    }
    std::uint64_t announcements() const { return value & 0xffffffffu; }
    static Word held_by(std::size_t member, std::uint64_t announcements = 0) {
      return {std::uint64_t(member + 1) << 32 | (announcements & 0xffffffffu)};
    }
    // Of the same holder, and still one in which somebody has announced himself.
    Word with_one_announcement() const { return {(value & ~std::uint64_t{0xffffffff}) | 1}; }
  };

  class Contender;

  static constexpr std::size_t kBits = 64;      // of a word of the set
  static constexpr NotificationId kWakeUp = 0;  // of a member's own part

  static std::size_t bytes_of_one(std::size_t members);
  Result<Mutex> find(MutexName which) const;
  std::string describe(MutexName which) const;
  Status lock_untraced(MutexName which, Timeout timeout);
  Status unlock_untraced(MutexName which, Timeout timeout);
  Status lock_locally(const Mutex& mutex, Timeout timeout);
  void unlock_locally(const Mutex& mutex);
  Status hand_on(const Mutex& mutex, Word now, const util::Deadline& deadline);
  Result<std::optional<std::size_t>> successor(const Mutex& mutex);
  Result<std::optional<std::size_t>> waiting_in(const Mutex& mutex, std::size_t begin, std::size_t end);
  bool is_gone(std::size_t member) const;
  void wake(std::size_t member, Timeout timeout);

  Result<std::uint64_t> apply(AtomicOp op, GlobalAddress place, std::uint64_t operand, std::uint64_t compare = 0);
  Result<Word> load(const Mutex& mutex);
  // True if `from` was there and is `to` now; else `from` is what is there.
  Result<bool> replace(const Mutex& mutex, Word& from, Word to);

  const GroupPorts& ports_;
  Group& group_;
  const std::size_t me_;  // this rank's index in the group
  const std::unique_ptr<Allocation> memory_;
  std::vector<std::uint32_t> counts_;  // by member
  std::size_t largest_count_ = 0;
  mutable util::SparseTable<Local> locals_;
  std::atomic<std::uint32_t> wake_ups_{0};  // of this rank, by whoever handed a mutex to it
};

}  // namespace polder::core
