#include "api/dart/memory/segment_table.hpp"

#include <limits>

namespace polder::dart {

constexpr std::int32_t kLargestId = std::numeric_limits<std::int16_t>::max();

DartSegment::~DartSegment() {
  // It can fail only if the runtime has closed, and then there is nothing left to free.
  if (registrar != nullptr && registered != kAnySegment) (void)registrar->delete_segment(registered);
}

TeamSegmentTable::~TeamSegmentTable() {
  for (auto& slot : chunks_) {
    Chunk* const chunk = slot.load(std::memory_order_relaxed);
    if (chunk == nullptr) continue;
    for (auto& segment : *chunk) delete segment.load(std::memory_order_relaxed);
    delete chunk;
  }
}

std::optional<std::int16_t> TeamSegmentTable::next_id() {
  const std::lock_guard lock(mutex_);
  if (!freed_.empty()) {
    const std::int16_t id = freed_.back();
    freed_.pop_back();
    return id;
  }
  if (fresh_ > kLargestId) return {};
  return std::int16_t(fresh_++);
}

std::optional<std::int16_t> TeamSegmentTable::lowest_registered(std::int16_t first) const {
  for (std::int32_t number = first; number <= kLargestId; ++number)
    if (find(std::int16_t(-number)) == nullptr) return std::int16_t(number);
  return {};
}

void TeamSegmentTable::put(std::int16_t id, std::unique_ptr<DartSegment> segment) {
  const std::lock_guard lock(mutex_);
  const std::size_t number = std::uint16_t(id);
  auto& slot = chunks_[number / kChunk];
  if (slot.load(std::memory_order_relaxed) == nullptr) slot.store(new Chunk{}, std::memory_order_release);
  (*slot.load(std::memory_order_relaxed))[number % kChunk].store(segment.release(), std::memory_order_release);
}

std::unique_ptr<DartSegment> TeamSegmentTable::remove(std::int16_t id) {
  const std::lock_guard lock(mutex_);
  const std::size_t number = std::uint16_t(id);
  Chunk* const chunk = chunks_[number / kChunk].load(std::memory_order_relaxed);
  if (chunk == nullptr) return nullptr;
  std::unique_ptr<DartSegment> segment((*chunk)[number % kChunk].exchange(nullptr, std::memory_order_acq_rel));
  if (segment != nullptr && id > 0) freed_.push_back(id);
  return segment;
}

void TeamSegmentTable::give_back(std::int16_t id) {
  const std::lock_guard lock(mutex_);
  freed_.push_back(id);
}

}  // namespace polder::dart
