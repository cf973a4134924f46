#include "coll/model/link_traffic.hpp"

#include <algorithm>

namespace polder::coll {

void LinkTraffic::carry(std::uint32_t letter, std::uint32_t from, std::uint32_t to, std::size_t bytes, double leaves) {
  heads_.push({leaves, order_++, letter, from, to, bytes});
}

void LinkTraffic::deliver(std::uint32_t letter, double time) {
  heads_.push({time, order_++, letter, 0, 0, 0});
}

bool LinkTraffic::next(Arrival& arrival) {
  while (!heads_.empty()) {
    Head head = heads_.top();
    heads_.pop();
    if (head.at == head.to) {
      arrival = {head.time, head.letter};
      return true;
    }
    const Interconnect::Hop hop = interconnect_.next(head.at, head.to);
    const double begins = std::max(head.time, free_[hop.link]), transfer = double(head.bytes) * per_byte_;
    waited_ += begins - head.time;
    free_[hop.link] = begins + transfer;
    head.at = hop.to;
    head.time = begins + hop_ + (hop.to == head.to ? transfer : 0);
    heads_.push(head);
  }
  return false;
}

void LinkTraffic::clear() {
  heads_ = {};
  std::fill(free_.begin(), free_.end(), 0);
  order_ = 0;
  waited_ = 0;
}

}  // namespace polder::coll
