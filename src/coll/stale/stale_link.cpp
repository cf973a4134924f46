#include "coll/stale/stale_link.hpp"

#include "util/assert.hpp"

namespace polder::coll {

bool StaleLink::push() {
  for (; given_back_ + 1 < came_; ++given_back_)
    if (!window_.raise(peer_, layout_.given_back(there_, given_back_), StaleLayout::tag(given_back_))) return false;
  if (has_left()) return true;
  if (sent_ >= cells_ && !window_.is_gone(peer_)) {
    const std::uint64_t before = sent_ - cells_;
    if (!window_.is_raised(layout_.given_back(here_, before), StaleLayout::tag(before))) return false;
  }
  const Notification flag{layout_.arrived(there_, sent_), StaleLayout::tag(sent_)};
  if (!window_.put(peer_, layout_.arriving(there_, sent_), place(), waiting_bytes_, flag)) return false;
  bytes_ += waiting_bytes_;
  waiting_bytes_ = 0;
  ++sent_;
  return true;
}

const StaleHead* StaleLink::next() const {
  if (!window_.is_raised(layout_.arrived(here_, came_), StaleLayout::tag(came_))) return nullptr;
  return reinterpret_cast<const StaleHead*>(window_.own() + layout_.arriving(here_, came_));
}

void StaleLink::take(std::uint64_t last) {
  while (!(head_.is_whole != 0 && head_.call == last)) {
    const StaleHead* const head = next();
    if (head == nullptr || head->call > last) return;
    POLDER_ASSERT(head->oldest >= head_.oldest && head->newest >= head->oldest);
    head_ = *head;
    ++came_;
  }
}

void StaleLink::skip_to(std::uint64_t call) {
  head_ = {.call = call, .oldest = call, .newest = call, .slowest = peer_, .is_empty = 1, .is_whole = 1};
}

void StaleLink::begin_anew(std::uint64_t call) {
  POLDER_ASSERT(head_.call == call);
  head_.oldest = head_.newest = call;
  head_.is_empty = 1;
}

}  // namespace polder::coll
