// The memory by which a rank is found: a table of its segments and of its groups, read one-sided by its peers.
//
// Writers store word by word and put a checksum beside; readers copy and check, and read again if they met a writer at
// work. So a look-up needs no help of the owner and no lock, on any device.
#pragma once

#include "device/region.hpp"
#include "util/random.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace polder::core {

// A segment as its owner announces it.
struct SegmentEntry {
  std::uint64_t generation = 0;   // 0: there is none. Grows with every segment of the rank, so a re-used id is noticed
  std::uint64_t size = 0;         // of the data
  std::uint64_t data_offset = 0;  // of the data in the memory behind data_key
  std::uint32_t notifications = 0;
  std::uint16_t data_is_control = 0;  // 1: one memory holds both; data_key stands for it
  std::uint16_t misalignment = 0;     // of the data's address, in bytes beyond a multiple of 16
  device::Key control_key;
  device::Key data_key;
};

// A group that its owner has begun to commit. `nonce` differs between any two commits.
struct GroupEntry {
  std::uint64_t tag = 0;  // of the ranks in it; 0: none
  std::uint64_t nonce = 0;
  std::uint64_t committed = 0;  // 1: its owner has been through the commit
};

// T in shared memory, for one writer at a time and any number of readers.
template <class T>
class Published {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
  static constexpr std::size_t kWords = sizeof(T) / 8;

 public:
  void write(const T& value) {
    std::uint64_t words[kWords];
    std::memcpy(words, &value, sizeof value);
    for (std::size_t i = 0; i < kWords; ++i) words_[i].store(words[i], std::memory_order_relaxed);
    checksum_.store(checksum(words), std::memory_order_release);
  }

  // False: a writer is at work.
  bool read(T& value) const {
    std::uint64_t words[kWords];
    const std::uint64_t sum = checksum_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < kWords; ++i) words[i] = words_[i].load(std::memory_order_relaxed);
    if (sum != checksum(words)) return false;
    std::memcpy(&value, words, sizeof value);
    return true;
  }

 private:
  // All zeros, as in fresh memory, is a valid T of zeros.
  static std::uint64_t checksum(const std::uint64_t* words) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kWords; ++i) sum = words[i] == 0 && sum == 0 ? 0 : util::mix(sum ^ words[i]) + i;
    return sum;
  }

  std::atomic<std::uint64_t> words_[kWords];
  std::atomic<std::uint64_t> checksum_;
};

// How many entries of the table of groups have ever been used: a search need not go further.
struct GroupSummary {
  std::uint64_t used = 0;
};

struct Root {
  static constexpr std::uint64_t kMagic = 0x706f6c64657201;
  static constexpr std::uint32_t kGroups = 1024;  // of a rank at a time
  // Groups keep their flags in segments of the last ids, entry i of `groups` in segment kFirstGroupSegment + i.
  static constexpr SegmentId kFirstGroupSegment = kSegmentIdLimit - kGroups;

  std::uint64_t magic;
  std::uint64_t job;
  Published<GroupSummary> group_summary;
  Published<GroupEntry> groups[kGroups];
  Published<SegmentEntry> segments[kSegmentIdLimit];  // sparse: pages without segments cost nothing
};

}  // namespace polder::core
