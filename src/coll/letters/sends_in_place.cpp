#include "coll/letters/sends_in_place.hpp"

#include "core/group/group_ports.hpp"
#include "core/post/one_sided.hpp"
#include "core/post/queue_state.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segment.hpp"
#include "util/thread.hpp"

#include <algorithm>
#include <cstdint>

namespace polder::coll {

Queue& SendsInPlace::queue(WrittenSlot& slot) {
  if (slot.in_place == nullptr) slot.in_place = state_.ground.ports().one_sided.make_internal_queue();
  if (std::find(used_.begin(), used_.end(), &slot) == used_.end()) used_.push_back(&slot);
  return *slot.in_place;
}

std::uint64_t SendsInPlace::left(const WrittenSlot& slot) {
  return slot.in_place != nullptr ? slot.in_place->state().local.count() : 0;
}

std::uint64_t SendsInPlace::left() const {
  std::uint64_t all = 0;
  for (const WrittenSlot* const slot : used_) all += left(*slot);
  return all;
}

void SendsInPlace::wait_as_long_as_some_go() {
  constexpr std::int64_t kLongest = 2'000'000'000;  // ns in which none goes
  core::Progress& progress = state_.ground.ports().progress;
  const util::Clock clock = progress.clock();
  std::int64_t since = clock.now_ns();
  for (std::uint64_t before = left(), now = before; now != 0 && clock.now_ns() - since < kLongest; now = left()) {
    if (now < before) before = now, since = clock.now_ns();
    progress.make();
    util::yield_core();
  }
}

void SendsInPlace::withdraw() {
  wait_as_long_as_some_go();
  for (const WrittenSlot* const slot : used_)
    if (are_under_way(*slot)) state_.ground.device().abandon(slot->to.segment->rank);
  wait_as_long_as_some_go();
  used_.clear();
}

}  // namespace polder::coll
