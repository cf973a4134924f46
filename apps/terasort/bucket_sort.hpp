// Puts the records of a store in order, one bucket at a time, without moving them.
#pragma once

#include "memory.hpp"
#include "record_store.hpp"

#include <cstddef>
#include <cstdint>

namespace terasort {

class BucketSort {
 public:
  // Room for the entries of the store's largest bucket. `store` must outlive this, and nothing may be appended any
  // more.
  static Result<BucketSort> prepare(const RecordStore& store);
  // The most that prepare() takes for a store of `capacity`: all records may be in one bucket.
  static std::uint64_t bytes_for(std::uint64_t capacity) { return 2 * capacity * sizeof(PlacedKey); }

  void sort(unsigned bucket);
  // Records of the bucket that was sorted.
  std::uint64_t size() const { return size_; }
  // Copies records first .. first+count-1 of the order to `to`.
  void gather(std::uint64_t first, std::uint64_t count, std::byte* to) const;

 private:
  BucketSort(const RecordStore& store, Arena entries, Arena scratch)
      : store_(&store), entries_(std::move(entries)), scratch_(std::move(scratch)) {}

  const RecordStore* store_;
  std::uint64_t size_ = 0;
  Arena entries_;
  Arena scratch_;
};

}  // namespace terasort
