// A byte ring in shared memory for one writing and one reading process: lock-free, and safe against the death of either
// side.
//
// A record becomes visible with the store of `tail`, after it is complete; a writer that dies half-way leaves nothing
// behind. Records are contiguous: one that does not fit before the end is preceded by a filler.
#pragma once

#include "util/assert.hpp"
#include "util/platform.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace polder::device::shm {

// All zeros is an empty ring. Several threads of the writing process must take turns; so must those of the reader.
struct Ring {
  static constexpr std::size_t kBytes = std::size_t{128} << 10;
  // Of a message; a quarter of the ring would still flow.
  static constexpr std::size_t kLargest = std::size_t{16} << 10;

  // Positions count bytes since the beginning of time; position % kBytes is the place.
  alignas(util::kCacheLine) std::atomic<std::uint64_t> tail{0};
  alignas(util::kCacheLine) std::atomic<std::uint64_t> head{0};
  alignas(util::kCacheLine) std::byte bytes[kBytes];

  struct Record {
    std::uint32_t size;  // of the payload; kFiller: skip to the beginning
    std::uint16_t handler;
    std::uint16_t unused;
  };
  static constexpr std::uint32_t kFiller = ~0u;
  static_assert(sizeof(Record) == 8);

  // False if there is no room now. REQUIRES: head and body together at most kLargest.
  bool push(std::uint16_t handler, std::span<const std::byte> first, std::span<const std::byte> second) {
    const std::size_t size = first.size() + second.size();
    POLDER_ASSERT(size <= kLargest);
    const std::size_t need = sizeof(Record) + util::round_up(size, sizeof(Record));
    std::uint64_t at = tail.load(std::memory_order_relaxed);  // nobody else writes it
    POLDER_ASSERT(at % sizeof(Record) == 0);
    const std::size_t to_end = kBytes - at % kBytes;
    const std::size_t filler = to_end < need ? to_end : 0;
    // Acquire: the reader is done with the bytes before it frees them.
    if (at + filler + need - head.load(std::memory_order_acquire) > kBytes) return false;
    if (filler != 0) {
      write(at, Record{kFiller, 0, 0});
      at += filler;
    }
    write(at, Record{std::uint32_t(size), handler, 0});
    std::byte* payload = bytes + at % kBytes + sizeof(Record);
    if (!first.empty()) std::memcpy(payload, first.data(), first.size());
    if (!second.empty()) std::memcpy(payload + first.size(), second.data(), second.size());
    // Once, and last: a writer that dies above this line has written nothing.
    tail.store(at + need, std::memory_order_release);
    return true;
  }

  bool empty() const { return head.load(std::memory_order_relaxed) == tail.load(std::memory_order_acquire); }

  // Hands up to `limit` records to `take(handler, payload)` and frees each behind it. Returns how many; -1 if the ring
  // holds nonsense.
  template <class Take>
  int pop(int limit, Take&& take) {
    int count = 0;
    std::uint64_t at = head.load(std::memory_order_relaxed);
    for (std::uint64_t filled; count < limit && (filled = tail.load(std::memory_order_acquire) - at) != 0;) {
      // Also where a record led behind the tail, or fillers would go on for ever.
      if (filled > kBytes || (at | filled) % sizeof(Record) != 0) return -1;
      Record record;
      std::memcpy(&record, bytes + at % kBytes, sizeof record);
      if (record.size == kFiller) {
        at += kBytes - at % kBytes;
      } else {
        if (record.size > kLargest || at % kBytes + sizeof record + record.size > kBytes) return -1;
        take(record.handler, std::span<const std::byte>(bytes + at % kBytes + sizeof record, record.size));
        at += sizeof record + util::round_up(record.size, sizeof record);
        ++count;
      }
      head.store(at, std::memory_order_release);
    }
    return count;
  }

 private:
  void write(std::uint64_t at, const Record& record) { std::memcpy(bytes + at % kBytes, &record, sizeof record); }
};

}  // namespace polder::device::shm
