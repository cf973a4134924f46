// The records of one rank's share, in the order they arrived, with a sort entry for each.
#pragma once

#include "local_sort.hpp"
#include "memory.hpp"
#include "record.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace terasort {

// Grows by touching reserved memory: nothing is ever moved, and nothing beyond the records that came is used.
class RecordStore {
 public:
  // Bytes for each record: itself, its entry, and a second entry while sorting.
  static constexpr std::uint64_t kBytesPerRecord = kRecordBytes + 2 * sizeof(PlacedKey);

  static Result<RecordStore> reserve(std::uint64_t capacity);

  std::uint64_t size() const { return size_; }
  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t room() const { return capacity_ - size_; }

  // REQUIRES: room() > 0.
  void append(const std::byte* record) {
    std::memcpy(records_.data() + size_ * kRecordBytes, record, kRecordBytes);
    add_entry(record);
  }

  // Copies `count` records and leaves their entries to add_entries(), so that the caller's buffer is free early.
  // REQUIRES: count <= room(), and add_entries() was called since the last copy.
  void copy(const std::byte* records, std::uint64_t count) {
    std::memcpy(records_.data() + size_ * kRecordBytes, records, count * kRecordBytes);
    without_entry_ = count;
  }
  void add_entries() {
    for (; without_entry_ > 0; --without_entry_) add_entry(records_.data() + size_ * kRecordBytes);
  }

  // Where the next `count` records may be received directly; add_received() then counts them. REQUIRES: count <=
  // room().
  std::span<std::byte> next(std::uint64_t count) {
    return {records_.data() + size_ * kRecordBytes, count * kRecordBytes};
  }
  void add_received(std::uint64_t count) {
    without_entry_ = count;
    add_entries();
  }

  // Puts the entries in order. `range` bounds the prefixes of all records. Allocates the second entries meanwhile.
  Status sort(PrefixRange range);

  // Copies records first .. first+count-1 of the order to `to`. REQUIRES: sort() was called after the last record came.
  void gather(std::uint64_t first, std::uint64_t count, std::byte* to) const;

 private:
  RecordStore(std::uint64_t capacity, Arena records, Arena entries)
      : capacity_(capacity), records_(std::move(records)), entries_(std::move(entries)) {}

  void add_entry(const std::byte* record) {
    entries_.as<PlacedKey>()[size_] = PlacedKey::of(record, size_);
    ++size_;
  }

  std::uint64_t capacity_;
  std::uint64_t size_ = 0;
  std::uint64_t without_entry_ = 0;
  Arena records_;
  Arena entries_;
};

}  // namespace terasort
