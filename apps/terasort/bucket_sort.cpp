#include "bucket_sort.hpp"

#include "local_sort.hpp"

#include <span>
#include <utility>

namespace terasort {
namespace {

// Records ahead to fetch while gathering: enough to hide the time of memory, few enough to stay in the first-level
// cache.
constexpr std::uint64_t kPrefetchAhead = 24;

void prefetch_record(const std::byte* record) {
  __builtin_prefetch(record);
  __builtin_prefetch(record + 64);
  __builtin_prefetch(record + kRecordBytes - 1);
}

}  // namespace

Result<BucketSort> BucketSort::prepare(const RecordStore& store) {
  const std::uint64_t bytes = store.largest_bucket() * sizeof(PlacedKey);
  Result<Arena> entries = Arena::reserve(bytes);
  if (!entries.ok()) return std::move(entries).status();
  Result<Arena> scratch = Arena::reserve(bytes);
  if (!scratch.ok()) return std::move(scratch).status();
  return BucketSort(store, std::move(*entries), std::move(*scratch));
}

void BucketSort::sort(unsigned bucket) {
  PlacedKey* entry = entries_.as<PlacedKey>().data();
  store_->for_each(bucket,
                   [&](const std::byte* record, std::uint64_t place) { *entry++ = PlacedKey::of(record, place); });
  size_ = store_->size(bucket);
  sort_entries(entries_.as<PlacedKey>().first(size_), scratch_.as<PlacedKey>().first(size_), store_->range_of(bucket));
}

void BucketSort::gather(std::uint64_t first, std::uint64_t count, std::byte* to) const {
  const std::span<PlacedKey> entries = entries_.as<PlacedKey>();
  for (std::uint64_t i = first; i < first + count; ++i, to += kRecordBytes) {
    if (i + kPrefetchAhead < size_) prefetch_record(store_->at(entries[i + kPrefetchAhead].position()));
    std::memcpy(to, store_->at(entries[i].position()), kRecordBytes);
  }
}

}  // namespace terasort
