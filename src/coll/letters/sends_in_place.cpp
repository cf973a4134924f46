#include "coll/letters/sends_in_place.hpp"

#include "core/group/group_ports.hpp"
#include "core/post/one_sided.hpp"
#include "core/post/queue_state.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segment.hpp"
#include "util/thread.hpp"

#include <cstdint>

namespace polder::coll {

Queue& SendsInPlace::queue() {
  are_used_ = true;
  if (queue_ == nullptr) queue_ = state_.ground.ports().one_sided.make_internal_queue();
  return *queue_;
}

bool SendsInPlace::is_any_under_way() const {
  return queue_ != nullptr && queue_->state().local.count() != 0;
}

void SendsInPlace::withdraw() {
  constexpr std::int64_t kLongest = 2'000'000'000;  // ns
  const LaneGround& ground = state_.ground;
  const util::Clock clock = ground.ports().progress.clock();
  for (const bool gives_up : {false, true}) {
    for (const WrittenSlot& traffic : state_.written)
      if (gives_up && traffic.in_place && is_any_under_way()) ground.device().abandon(traffic.to.segment->rank);
    for (const std::int64_t end = clock.now_ns() + kLongest; is_any_under_way() && clock.now_ns() < end;
         util::yield_core())
      ground.ports().progress.make();
  }
  for (WrittenSlot& traffic : state_.written) traffic.in_place = false;
  are_used_ = false;
}

}  // namespace polder::coll
