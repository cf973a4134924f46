// A buffer that is filled with records, sent, and used again.
#pragma once

#include "device/wire/format/protocol.hpp"
#include "device/wire/link/operation.hpp"
#include "device/wire/link/stretch.hpp"
#include "device/wire/network/transport.hpp"
#include "util/assert.hpp"
#include "util/spin_lock.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace polder::device::wire {

struct Frame : Addressee {
  std::size_t used = sizeof(FrameHeader);
  WireOperation* operations = nullptr;  // puts whose last record is here, in order
  WireOperation* last_operation = nullptr;

  Stretch stores;  // what its puts and atomics touch; noted only where memory is reached without them

  // A part of a large transfer: what is read meanwhile.
  WireOperation* source = nullptr;  // memory of this put
  std::uint64_t exposed = 0;        // or this exposed memory
  std::uint32_t part = 0;           // or so many bytes behind the content, which are a copy

  alignas(16) std::array<std::byte, std::max(kFrameBytes, kPacketLimit)> bytes;

  bool has_room(std::size_t more) const {
    return part == 0 && (used == sizeof(FrameHeader) || used + more <= kFillBytes);
  }
  std::span<const std::byte> content() const { return {bytes.data(), used}; }
  std::span<const std::byte> copied_part() const { return {bytes.data() + used, part}; }

  // Makes it one part of a large transfer. REQUIRES: nothing but company is in it, data is at most kMostPartBytes.
  void head_part(Record record, std::size_t size) {
    POLDER_ASSERT(is_company() && size <= kMostPartBytes);
    each_record([](Record& company) {
      if (company.kind == RecordKind::put) company.detail |= kInHead;
      return true;
    });
    record.bytes = std::uint32_t(size);
    std::memcpy(bytes.data() + used, &record, sizeof record);
    used += sizeof record;
  }
  // Behind its head, before any data: what the last part is to raise.
  void add_flag(const FlagRecord& flag) {
    POLDER_ASSERT(is_part_head(used + sizeof flag) && part == 0);
    std::memcpy(bytes.data() + used, &flag, sizeof flag);
    used += sizeof flag;
  }
  void copy_part(const Record& record, std::span<const std::byte> data, const std::optional<FlagRecord>& flag) {
    POLDER_ASSERT(data.size() <= kPartBytes);
    head_part(record, data.size());
    if (flag) add_flag(*flag);
    std::memcpy(bytes.data() + used, data.data(), data.size());
    part = std::uint32_t(data.size());
  }

  // What another frame holds goes behind what is here, and stays there as well. REQUIRES: has_room(other.filled()).
  void append_all(const Frame& other) {
    POLDER_ASSERT(has_room(other.filled()));
    std::memcpy(bytes.data() + used, other.bytes.data() + sizeof(FrameHeader), other.filled());
    used += other.filled();
    stores.add(other.stores);
    if (other.operations == nullptr) return;
    (operations == nullptr ? operations : last_operation->next) = other.operations;
    last_operation = other.last_operation;
  }
  std::size_t filled() const { return used - sizeof(FrameHeader); }

  // Whether all that is in it may go in front of a part: flags and puts, of few bytes altogether.
  bool is_company() {
    return part == 0 && filled() <= kMostCompany && each_record([](const Record& record) {
             return record.kind == RecordKind::flag || record.kind == RecordKind::put;
           });
  }

  void append(WireOperation* operation) {
    operation->next = nullptr;
    (operations == nullptr ? operations : last_operation->next) = operation;
    last_operation = operation;
  }

  // `visit` may change a record, and says whether to go on. REQUIRES: there is nothing but records.
  template <class Visit>
  bool each_record(Visit&& visit) {
    Record record;
    for (std::size_t at = sizeof(FrameHeader); at < used; at += sizeof record + padded(record.bytes)) {
      std::memcpy(&record, bytes.data() + at, sizeof record);
      if (!visit(record)) return false;
      std::memcpy(bytes.data() + at, &record, sizeof record);
    }
    return true;
  }

  // Copies a record and its payload. REQUIRES: has_room(sizeof(Record) + padded(payload)), payload at most kMaxMessage.
  void append(Record record, std::span<const std::byte> payload, std::span<const std::byte> rest = {}) {
    record.bytes = std::uint32_t(payload.size() + rest.size());
    POLDER_ASSERT(has_room(sizeof record + padded(record.bytes)) &&
                  used + sizeof record + padded(record.bytes) <= kFrameBytes);
    std::byte* to = bytes.data() + used;
    std::memcpy(to, &record, sizeof record);
    to += sizeof record;
    if (!payload.empty()) std::memcpy(to, payload.data(), payload.size());
    if (!rest.empty()) std::memcpy(to + payload.size(), rest.data(), rest.size());
    used += sizeof record + padded(record.bytes);
  }
};

class FramePool {
 public:
  explicit FramePool(TransportEvents& events) : events_(events) {}

  Frame* take() {
    util::SpinGuard lock(lock_);
    if (free_.empty()) {
      all_.push_back(std::make_unique_for_overwrite<Frame>());
      all_.back()->events = &events_;
      return all_.back().get();
    }
    Frame* frame = free_.back();
    free_.pop_back();
    return frame;
  }

  void give_back(Frame* frame) {
    frame->used = sizeof(FrameHeader);
    frame->operations = frame->last_operation = frame->source = nullptr;
    frame->exposed = 0;
    frame->part = 0;
    frame->stores.clear();
    util::SpinGuard lock(lock_);
    free_.push_back(frame);
  }

 private:
  TransportEvents& events_;
  util::SpinLock lock_;
  std::vector<Frame*> free_ POLDER_GUARDED_BY(lock_);
  std::vector<std::unique_ptr<Frame>> all_ POLDER_GUARDED_BY(lock_);
};

}  // namespace polder::device::wire
