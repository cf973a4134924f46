// The records of one rank's share, kept apart by the beginning of their keys.
#pragma once

#include "memory.hpp"
#include "record.hpp"
#include "splitters.hpp"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace terasort {

// Records go to one of several *buckets*, the keys of one all being below those of the next. So buckets can be sorted
// and written one after another, each in the cache, and a bucket's memory is free for the output of the next: the sort
// needs its data's size once and not twice. (In a virtual machine memory that the host has to find costs 30 times
// what memory costs that has just been freed.)
//
// A bucket is a list of blocks. Nothing is ever moved, and nothing beyond the blocks in use is touched.
class RecordStore {
 public:
  // A huge page: given back to the kernel whole, it can be had again whole.
  static constexpr std::uint64_t kBlockBytes = 2u << 20;
  // With one bucket all records lie in one block.
  static constexpr unsigned kMostBuckets = 256;

  // As many as can be while each still has several blocks, since its last one is half empty.
  static unsigned buckets_for(std::uint64_t capacity);
  // Address space for `capacity` records, and the most of it that can be in use.
  static std::uint64_t bytes_for(std::uint64_t capacity, unsigned buckets);

  // `cuts` cut the keys into buckets. Positions in them do not matter: equal keys may be in neighbouring buckets.
  static Result<RecordStore> reserve(std::uint64_t capacity, Splitters cuts);

  std::uint64_t size() const { return size_; }
  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t room() const { return capacity_ - size_; }

  // Copies a record. REQUIRES: room() > 0.
  void append(const std::byte* record) {
    assert(room() > 0);
    Bucket& bucket = buckets_[cuts_.rank_of(record, 0)];
    if (bucket.next == bucket.end) open_block(bucket);
    std::memcpy(bucket.next, record, kRecordBytes);
    bucket.next += kRecordBytes;
    ++size_;
  }
  // REQUIRES: count <= room().
  void append(const std::byte* records, std::uint64_t count);

  // Where the next `count` records may be received directly; add_received() then counts them. REQUIRES: one bucket, and
  // count <= room().
  std::span<std::byte> next(std::uint64_t count);
  void add_received(std::uint64_t count);

  unsigned buckets() const { return unsigned(buckets_.size()); }
  std::uint64_t size(unsigned bucket) const;
  std::uint64_t largest_bucket() const;
  PrefixRange range_of(unsigned bucket) const { return cuts_.range_of(bucket); }

  // Calls `look(record, place)` for all records of a bucket, in the order they came. at(place) finds them again.
  template <class Look>
  void for_each(unsigned bucket, Look&& look) const {
    for (const std::uint32_t block : buckets_[bucket].blocks) {
      const std::byte* const begin = data_.data() + block * block_bytes_;
      const std::byte* const end =
          block == buckets_[bucket].blocks.back() ? buckets_[bucket].next : begin + full_bytes_;
      for (const std::byte* record = begin; record < end; record += kRecordBytes)
        look(record, std::uint64_t(record - data_.data()));
    }
  }
  const std::byte* at(std::uint64_t place) const { return data_.data() + place; }

  // Gives the memory of a bucket back to the system; its records are lost.
  void release(unsigned bucket);

 private:
  struct Bucket {
    std::byte* next = nullptr;  // where the next record goes, in the last block
    std::byte* end = nullptr;
    std::vector<std::uint32_t> blocks{};
  };

  RecordStore(std::uint64_t capacity, Splitters cuts, Arena data);
  void open_block(Bucket& bucket);

  std::uint64_t capacity_;
  std::uint64_t block_bytes_;
  std::uint64_t full_bytes_;  // of a block, as many as whole records fill
  std::uint64_t size_ = 0;
  std::uint32_t used_blocks_ = 0;
  Splitters cuts_;
  std::vector<Bucket> buckets_;
  Arena data_;
};

}  // namespace terasort
