// What one operation sends, before it waits for its link: made without a lock, because the caller's memory is read
// here, and a page of it may have to be fetched over the very link.
#pragma once

#include "device/wire/link/bulk.hpp"
#include "device/wire/link/frame.hpp"
#include "util/assert.hpp"

#include <cstddef>
#include <vector>

namespace polder::device::wire {

class Parcel {
 public:
  explicit Parcel(FramePool& pool) : pool_(pool) {}
  ~Parcel() {
    each([&](Waiting& part) { give_back(part); });
  }
  Parcel(const Parcel&) = delete;
  Parcel& operator=(const Parcel&) = delete;

  // The frame for a record with that much payload.
  Frame& frame_for(std::size_t payload) {
    if (empty() || back().frame == nullptr || !back().frame->has_room(sizeof(Record) + padded(payload)))
      add({.frame = pool_.take(), .bulk = {}});
    return *back().frame;
  }
  void add(const Waiting& part) {
    if (count_++ == 0)
      first_ = part;
    else
      others_.push_back(part);
  }

  bool empty() const { return count_ == 0; }
  // REQUIRES: not empty.
  Waiting& back() {
    POLDER_ASSERT(!empty());
    return count_ == 1 ? first_ : others_.back();
  }

  // In order; a part whose frame the visitor has taken must be set to null there.
  template <class Visit>
  void each(Visit&& visit) {
    if (count_ != 0) visit(first_);
    for (Waiting& part : others_) visit(part);
  }

 private:
  void give_back(Waiting& part) {
    if (part.frame != nullptr) pool_.give_back(part.frame);
  }

  FramePool& pool_;
  std::size_t count_ = 0;
  Waiting first_;  // mostly the only one
  std::vector<Waiting> others_;
};

}  // namespace polder::device::wire
