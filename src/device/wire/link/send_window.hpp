// The frames on their way to a peer that it has not acknowledged: how many there may be, and what ends with each.
#pragma once

#include "device/wire/format/protocol.hpp"
#include "device/wire/link/operation.hpp"
#include "util/assert.hpp"
#include "util/fifo.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace polder::device::wire {

// Under the device's lock, but for crowded(). Frames are numbered from 1, without a gap; the latest one that has left is
// the youngest here, or all are acknowledged.
class SendWindow {
 public:
  static constexpr std::uint32_t kMostFrames = 256;
  static constexpr std::uint32_t kMostBytes = 4 << 20;
  static constexpr std::size_t kAtOnce = 8;  // frames up to which even the smallest leaves at once

  struct Sent {
    std::uint32_t bytes = 0;
    std::int64_t at_ns = 0;
    WireOperation* operations = nullptr;  // that end with it
  };

  bool empty() const { return frames_.empty(); }
  bool open() const { return frames_.size() < kMostFrames && bytes_ < kMostBytes; }
  std::uint32_t last() const { return last_; }  // number of the latest frame; 0: none has left
  std::uint32_t next() const { return last_ + 1; }
  // When the oldest has left. REQUIRES: !empty().
  std::int64_t oldest_ns() {
    POLDER_ASSERT(!empty());
    return frames_.front().at_ns;
  }

  // The frame next() has left.
  void push(const Sent& frame) {
    ++last_;
    bytes_ += frame.bytes;
    frames_.push_back(frame);
    note_crowd();
  }

  // The peer has carried out all up to that number: calls `end(operation)` for what ends with them. False: nothing new.
  template <class End>
  bool acknowledge(std::uint32_t number, End&& end) {
    bool some = false;
    for (; !frames_.empty() && !after(first(), number); frames_.pop_front(), some = true) {
      const Sent& frame = frames_.front();
      POLDER_ASSERT(bytes_ >= frame.bytes);
      bytes_ -= frame.bytes;
      for (WireOperation* operation = frame.operations; operation != nullptr;)
        end(*std::exchange(operation, operation->next));
    }
    POLDER_ASSERT(!frames_.empty() || bytes_ == 0);
    if (some) note_crowd();
    return some;
  }

  // That frame, to let operations end with it; null: it is acknowledged. REQUIRES: it has left.
  Sent* find(std::uint32_t number) {
    POLDER_ASSERT(!after(number, last_));
    if (frames_.empty() || after(first(), number)) return nullptr;
    return &frames_[number - first()];
  }

  // The peer is lost, and numbers begin anew.
  void clear() {
    frames_.clear();
    last_ = bytes_ = 0;
    note_crowd();
  }

  // Any thread: so much is under way that an acknowledgement will come soon; what is posted is gathered until then.
  bool crowded(std::memory_order order) const { return crowded_.load(order); }

 private:
  std::uint32_t first() const { return last_ - std::uint32_t(frames_.size()) + 1; }
  void note_crowd() {
    const bool now = frames_.size() >= kAtOnce;
    if (now != crowded_.load(std::memory_order_relaxed)) crowded_.store(now, std::memory_order_seq_cst);
  }

  util::Fifo<Sent> frames_;
  std::uint32_t last_ = 0;
  std::uint32_t bytes_ = 0;  // of all frames here
  std::atomic<bool> crowded_{false};
};

}  // namespace polder::device::wire
