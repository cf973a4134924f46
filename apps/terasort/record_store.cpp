#include "record_store.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace terasort {
namespace {

// Blocks that a bucket has at least: its last one is half empty on average.
constexpr std::uint64_t kBlocksPerBucket = 8;
constexpr std::uint64_t kRecordsPerBlock = RecordStore::kBlockBytes / kRecordBytes;

}  // namespace

unsigned RecordStore::buckets_for(std::uint64_t capacity) {
  const std::uint64_t most = capacity / kRecordsPerBlock / kBlocksPerBucket;
  return unsigned(std::bit_floor(std::clamp<std::uint64_t>(most, 1, kMostBuckets)));
}

std::uint64_t RecordStore::bytes_for(std::uint64_t capacity, unsigned buckets) {
  if (buckets == 1) return capacity * kRecordBytes;
  return (capacity / kRecordsPerBlock + buckets) * kBlockBytes;
}

Result<RecordStore> RecordStore::reserve(std::uint64_t capacity, Splitters cuts) {
  Result<Arena> data = Arena::reserve(bytes_for(capacity, cuts.ranks()));
  if (!data.ok()) return std::move(data).status();
  return RecordStore(capacity, std::move(cuts), std::move(*data));
}

RecordStore::RecordStore(std::uint64_t capacity, Splitters cuts, Arena data)
    : capacity_(capacity),
      block_bytes_(cuts.ranks() == 1 ? capacity * kRecordBytes : kBlockBytes),
      full_bytes_(block_bytes_ / kRecordBytes * kRecordBytes),
      cuts_(std::move(cuts)),
      buckets_(cuts_.ranks()),
      data_(std::move(data)) {}

void RecordStore::append(const std::byte* records, std::uint64_t count) {
  assert(count <= room());
  if (count == 0) return;  // there may be no memory to copy to yet
  if (buckets() == 1) {
    std::memcpy(next(count).data(), records, count * kRecordBytes);
    add_received(count);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) append(records + i * kRecordBytes);
}

void RecordStore::open_block(Bucket& bucket) {
  bucket.next = data_.data() + used_blocks_ * block_bytes_;
  bucket.end = bucket.next + full_bytes_;
  bucket.blocks.push_back(used_blocks_++);
}

std::span<std::byte> RecordStore::next(std::uint64_t count) {
  assert(buckets() == 1 && count <= room());
  Bucket& bucket = buckets_.front();
  if (count > 0 && bucket.next == nullptr) open_block(bucket);
  return {bucket.next, count * kRecordBytes};
}

void RecordStore::add_received(std::uint64_t count) {
  buckets_.front().next += count * kRecordBytes;
  size_ += count;
}

std::uint64_t RecordStore::size(unsigned bucket) const {
  const Bucket& about = buckets_[bucket];
  return (about.blocks.size() * full_bytes_ - std::uint64_t(about.end - about.next)) / kRecordBytes;
}

std::uint64_t RecordStore::largest_bucket() const {
  std::uint64_t largest = 0;
  for (unsigned bucket = 0; bucket < buckets(); ++bucket) largest = std::max(largest, size(bucket));
  return largest;
}

void RecordStore::release(unsigned bucket) {
  for (const std::uint32_t block : buckets_[bucket].blocks) data_.release(block * block_bytes_, block_bytes_);
  buckets_[bucket] = {};
}

}  // namespace terasort
