// The segments of a team by their numbers: 0 the pool, above it collective allocations, below it registered memory.
#pragma once

#include <polder/allocation.hpp>
#include <polder/runtime.hpp>
#include <polder/types.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace polder::dart {

// What one unit contributed.
struct SegmentPart {
  Rank rank = 0;
  SegmentId id = kAnySegment;   // at that rank; kAnySegment: it gave no memory
  std::uint64_t size = 0;       // bytes
  std::byte* direct = nullptr;  // where this unit loads and stores it, or null
  std::uint32_t serial = 0;     // of registered memory: AtomicService::offer()
};

struct DartSegment {
  explicit DartSegment(std::size_t units) : parts(units), flags(units) {}
  ~DartSegment();  // frees this unit's part without meeting the others
  DartSegment(const DartSegment&) = delete;
  DartSegment& operator=(const DartSegment&) = delete;

  std::vector<SegmentPart> parts;                 // by team-relative unit
  std::vector<std::atomic<std::uint16_t>> flags;  // likewise
  std::unique_ptr<Allocation> allocation;         // of a collective allocation
  Runtime* registrar = nullptr;                   // of registered memory: who has the segment `registered`
  SegmentId registered = kAnySegment;
};

// find() takes no lock; the others may be called by several threads. A segment must not be removed while it is used.
class TeamSegmentTable {
 public:
  ~TeamSegmentTable();

  // Null: there is none. Two loads.
  DartSegment* find(std::int16_t id) const {
    const std::size_t number = std::uint16_t(id);
    const Chunk* const chunk = chunks_[number / kChunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : (*chunk)[number % kChunk].load(std::memory_order_acquire);
  }

  // The number of the next collective allocation: what was freed last comes first, so that members which allocate and
  // free in the same order agree without a word. Nothing: all are taken.
  std::optional<std::int16_t> next_id();
  // The lowest registered number from `first` (1 and above, for -1 and below) that is free here. Nothing: there is none.
  std::optional<std::int16_t> lowest_registered(std::int16_t first) const;

  void put(std::int16_t id, std::unique_ptr<DartSegment> segment);
  // For the caller to free; null: there is none.
  std::unique_ptr<DartSegment> remove(std::int16_t id);
  // The number of an allocation that failed.
  void give_back(std::int16_t id);

 private:
  static constexpr std::size_t kChunk = 256;
  using Chunk = std::array<std::atomic<DartSegment*>, kChunk>;

  std::mutex mutex_;
  std::array<std::atomic<Chunk*>, 65536 / kChunk> chunks_{};
  std::vector<std::int16_t> freed_;
  std::int32_t fresh_ = 1;
};

}  // namespace polder::dart
