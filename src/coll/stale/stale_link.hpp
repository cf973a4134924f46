// One way between two members, in both directions: totals that leave, and the newest total that has come.
#pragma once

#include "coll/port/window.hpp"
#include "coll/stale/stale_layout.hpp"

#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>

namespace polder::coll {

class StaleLink {
 public:
  // `here` and `there`: the numbers that the link has at this member and at the peer.
  StaleLink(WindowPort& window, const StaleLayout& layout, unsigned cells, Rank peer, std::uint32_t here,
            std::uint32_t there)
      : window_(window), layout_(layout), cells_(cells), peer_(peer), here_(here), there_(there) {
    head_.slowest = peer;
    head_.is_empty = 1;
  }

  Rank peer() const { return peer_; }

  // ---- leaving ----
  // Where the next total is written: a head and values. One that has been posted and has not left is replaced.
  std::byte* place() { return window_.own() + layout_.leaving(here_, sent_); }
  void post(std::size_t bytes) { waiting_bytes_ = bytes; }
  // Sends what waits, if the peer has a cell for it, and gives cells back. True: nothing is left to be done.
  bool push();
  bool has_left() const { return waiting_bytes_ == 0; }
  std::uint64_t bytes() const { return bytes_; }  // that have left so far

  // ---- come ----
  // The newest total that has come: of a call up to `last`, and none after the whole one of that call.
  void take(std::uint64_t last);
  const StaleHead& head() const { return head_; }
  const std::byte* values() const { return window_.own() + layout_.arriving(here_, came_ - 1) + sizeof(StaleHead); }
  // The first one that has come and has not been taken; null: none.
  const StaleHead* next() const;
  // Nothing has come up to that call that would count: totals began anew after it.
  void skip_to(std::uint64_t call);
  // Totals begin anew after that call.
  void begin_anew(std::uint64_t call);

 private:
  WindowPort& window_;
  const StaleLayout& layout_;
  const unsigned cells_;
  const Rank peer_;
  const std::uint32_t here_, there_;

  std::uint64_t sent_ = 0;  // totals
  std::size_t waiting_bytes_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t came_ = 0, given_back_ = 0;  // totals; the last one that came is kept
  StaleHead head_;
};

}  // namespace polder::coll
