// What is under way to a segment of a peer, and which bytes of it: enough to tell whether the next operation may go at
// once, where an order is asked for.
//
// Keeping every range would cost memory and time in proportion to the operations under way, which OSPRI's authors found
// too much (section VI-C), so that their strict order waits for all puts to a target before a get. Between both lies
// this: one interval that contains the ranges of all operations of a kind since there was none. Disjoint transfers,
// such as those of neighbouring blocks one after the other, do not meet in it.
#pragma once

#include "core/progress/outstanding.hpp"
#include "core/segment/byte_range.hpp"
#include "util/spin_lock.hpp"

#include <mutex>

namespace polder::core {

class RangesUnderWay {
 public:
  Outstanding::Ticket enter(const ByteRange& range) {
    std::lock_guard lock(lock_);
    if (operations_.count() == 0)
      hull_ = range;
    else
      hull_.widen(range);
    return operations_.enter();
  }
  void leave(Outstanding::Ticket ticket) { operations_.leave(ticket); }

  // False: none of the operations under way touches `range`. True: one may.
  bool may_meet(const ByteRange& range) {
    if (operations_.count() == 0) return false;
    std::lock_guard lock(lock_);
    return hull_.meets(range);
  }

  Outstanding& operations() { return operations_; }

 private:
  Outstanding operations_;
  util::SpinLock lock_;
  ByteRange hull_;
};

// By the way they take. Messages overtake no messages, the others overtake everything.
struct Hazards {
  RangesUnderWay puts;      // by the device
  RangesUnderWay gets;      // by the device
  RangesUnderWay messages;  // puts and accumulates that the target carries out
};

}  // namespace polder::core
