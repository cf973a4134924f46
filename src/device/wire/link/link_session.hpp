// By which numbers the two ends of a link know that a frame is meant for this meeting of theirs, and for no earlier one.
#pragma once

#include "util/assert.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace polder::device::wire {

// Under the device's lock.
class LinkSession {
 public:
  // A number that is not to be foretold: it is what keeps others from sending frames in a peer's name.
  static std::uint64_t draw();

  // REQUIRES: number != 0.
  void begin(std::uint64_t number) {
    POLDER_ASSERT(number != 0);
    own_ = number;
    peer_ = 0;
  }
  void meet(std::uint64_t peer) { peer_ = peer; }
  void end() {
    if (own_ != 0) past_[ended_++ % past_.size()] = own_;
    own_ = 0;
  }

  std::uint64_t own() const { return own_; }    // on frames for this rank; 0: none are accepted
  std::uint64_t peer() const { return peer_; }  // on frames for the peer
  bool accepts(std::uint64_t number) const { return own_ != 0 && number == own_; }
  // What still comes for it is dropped without a word.
  bool was(std::uint64_t number) const {
    return number != 0 && std::find(past_.begin(), past_.end(), number) != past_.end();
  }

 private:
  std::uint64_t own_ = 0, peer_ = 0;
  std::array<std::uint64_t, 8> past_{};
  std::size_t ended_ = 0;
};

}  // namespace polder::device::wire
