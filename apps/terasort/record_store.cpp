#include "record_store.hpp"

#include <algorithm>

namespace terasort {
namespace {

// Records ahead to fetch while gathering: enough to hide the time of memory, few enough to stay in the first-level
// cache.
constexpr std::uint64_t kAhead = 24;

void prefetch_record(const std::byte* record) {
  __builtin_prefetch(record);
  __builtin_prefetch(record + 64);
  __builtin_prefetch(record + kRecordBytes - 1);
}

}  // namespace

Result<RecordStore> RecordStore::reserve(std::uint64_t capacity) {
  Result<Arena> records = Arena::reserve(capacity * kRecordBytes);
  if (!records.ok()) return std::move(records).status();
  Result<Arena> entries = Arena::reserve(capacity * sizeof(PlacedKey));
  if (!entries.ok()) return std::move(entries).status();
  return RecordStore(capacity, std::move(*records), std::move(*entries));
}

Status RecordStore::sort(PrefixRange range) {
  const Result<Arena> scratch = Arena::reserve(size_ * sizeof(PlacedKey));
  if (!scratch.ok()) return scratch.status();
  sort_entries(entries_.as<PlacedKey>().first(size_), scratch->as<PlacedKey>().first(size_), range);
  return {};
}

void RecordStore::gather(std::uint64_t first, std::uint64_t count, std::byte* to) const {
  const std::span<PlacedKey> entries = entries_.as<PlacedKey>();
  const auto record = [&](std::uint64_t i) { return records_.data() + entries[i].position() * kRecordBytes; };
  for (std::uint64_t i = first; i < first + count; ++i, to += kRecordBytes) {
    if (i + kAhead < size_) prefetch_record(record(i + kAhead));
    std::memcpy(to, record(i), kRecordBytes);
  }
}

}  // namespace terasort
