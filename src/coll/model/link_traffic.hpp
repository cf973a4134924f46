// Letters under way on an interconnect, in the order of time: each link carries one letter after the other, and the head of a
// letter goes on while its end is still on the link before (virtual cut-through; Kermani, Kleinrock 1979). Without
// contention a letter of s bytes over h links takes L + h hop + s G, as in LogGP. Buffers of switches are unbounded.
#pragma once

#include "coll/model/interconnect.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

namespace polder::coll {

class LinkTraffic {
 public:
  struct Arrival {
    double time;           // us; of the last byte
    std::uint32_t letter;  // as carry() was told
  };

  // hop: of the head over a link, us. per_byte: of a link, us.
  LinkTraffic(const Interconnect& interconnect, double hop, double per_byte)
      : interconnect_(interconnect), hop_(hop), per_byte_(per_byte), free_(interconnect.links(), 0) {}

  // `leaves` is not before the last arrival. from != to.
  void carry(std::uint32_t letter, std::uint32_t from, std::uint32_t to, std::size_t bytes, double leaves);
  // A letter that takes no link, there at `time`.
  void deliver(std::uint32_t letter, double time);
  // The next letter that has come. False: none is under way.
  bool next(Arrival& arrival);

  // Time for which letters waited for links, us.
  double waited() const { return waited_; }
  void clear();

 private:
  struct Head {
    double time;
    std::uint64_t order;  // of two at the same time, the one that began first
    std::uint32_t letter, at, to;
    std::size_t bytes;
    bool operator<(const Head& other) const { return time != other.time ? time > other.time : order > other.order; }
  };

  const Interconnect& interconnect_;
  const double hop_, per_byte_;
  std::vector<double> free_;  // when a link has carried all that came to it
  std::priority_queue<Head> heads_;
  std::uint64_t order_ = 0;
  double waited_ = 0;
};

}  // namespace polder::coll
