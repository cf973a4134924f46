// What waits to leave by a link: frames of records, large pieces that stay where they lie, and answers, which go before
// both.
#pragma once

#include "device/wire/format/protocol.hpp"
#include "device/wire/link/bulk.hpp"
#include "device/wire/link/frame.hpp"
#include "device/wire/link/parcel.hpp"
#include "util/assert.hpp"
#include "util/fifo.hpp"

#include <cstddef>

namespace polder::device::wire {

// Answers, and what a thread that fills pages posts, go before what may wait for a page.
constexpr bool kUrgent = true;

// Under the lock of the link. There are two lines: the one of what was posted, in order, and the urgent one of what must
// not wait for a page that is missing at the front of the other: answers, and what fetches the page. Beside the first lie
// the *copied parts* of the large put at its front, of which the pages may have been missing.
class PostingQueues {
 public:
  static constexpr std::size_t kLimit = 64;  // entries of a line, before posting says queue_full

  bool empty() const { return posted_.empty() && urgent_.empty(); }
  bool has_room(bool urgent) const { return (urgent ? urgent_ : posted_).size() < kLimit; }
  // A frame is full, or a bulk waits: no use in waiting for company. REQUIRES: something waits.
  bool must_send() {
    POLDER_ASSERT(!empty());
    return !urgent_.empty() || posted_.size() > 1 || posted_.back().frame == nullptr || posted_.back().frame->part != 0;
  }

  // ---- behind what waits already ----

  // The frame for a record with that much payload.
  Frame& frame_for(std::size_t payload, FramePool& pool, bool urgent) {
    util::Fifo<Waiting>& line = line_of(urgent);
    if (!has_joinable(line, sizeof(Record) + padded(payload))) line.push_back({.frame = pool.take(), .bulk = {}});
    return *line.back().frame;
  }
  // All of it, which the parcel no longer owns; small frames join the last one.
  void take(Parcel& parcel, bool urgent) {
    util::Fifo<Waiting>& line = line_of(urgent);
    parcel.each([&line](Waiting& part) {
      const bool small = part.frame != nullptr && part.frame->part == 0;
      if (small && has_joinable(line, part.frame->filled())) return line.back().frame->append_all(*part.frame);
      line.push_back(part);
      part.frame = nullptr;
    });
  }
  void wait_with(const Bulk& bulk, bool urgent) { line_of(urgent).push_back({.frame = nullptr, .bulk = bulk}); }

  // ---- what goes next ----

  bool any_urgent() const { return !urgent_.empty(); }
  // REQUIRES: that line has something.
  Waiting& first(bool urgent) { return line_of(urgent).front(); }
  void pop(bool urgent) { line_of(urgent).pop_front(); }

  // Of what was posted; bulks that have gone before others are forgotten once they are the first.
  std::size_t posted() const { return posted_.size(); }
  Waiting& operator[](std::size_t i) { return posted_[i]; }
  void forget_gone() {
    while (!posted_.empty() && posted_.front().gone) posted_.pop_front();
  }

  // ---- copied parts of the put at the front ----

  std::size_t copied() const { return copied_.size(); }
  // REQUIRES: copied() != 0.
  Frame& first_copied() { return *copied_.front(); }
  // The first one leaves, and the put with the last of them. REQUIRES: copied() != 0.
  void pop_copied() {
    copied_.pop_front();
    const Bulk& put = posted_.front().bulk;
    if (copied_.empty() && !put.claimed && put.bytes == 0) posted_.pop_front();
  }
  // `end`: of what the thread had claimed; another may claim more. REQUIRES: the put waits.
  void add_copied(Frame& frame, bool end) {
    POLDER_ASSERT(!posted_.empty() && posted_.front().bulk.claimed);
    copied_.push_back(&frame);
    if (end) posted_.front().bulk.claimed = false;
  }

  // Calls `drop(waiting)` for all that waits, and gives the copied parts back.
  template <class Drop>
  void clear(FramePool& pool, Drop&& drop) {
    for (util::Fifo<Waiting>* line : {&posted_, &urgent_}) {
      for (std::size_t i = 0; i < line->size(); ++i) drop((*line)[i]);
      line->clear();
    }
    for (; !copied_.empty(); copied_.pop_front()) pool.give_back(copied_.front());
  }

 private:
  util::Fifo<Waiting>& line_of(bool urgent) { return urgent ? urgent_ : posted_; }
  static bool has_joinable(util::Fifo<Waiting>& line, std::size_t bytes) {
    return !line.empty() && line.back().frame != nullptr && line.back().frame->has_room(bytes);
  }

  util::Fifo<Waiting> posted_;
  util::Fifo<Waiting> urgent_;
  util::Fifo<Frame*> copied_;
};

}  // namespace polder::device::wire
