#include "device/wire/turns/outside_copier.hpp"

#include "device/filling_thread.hpp"
#include "util/copy.hpp"

#include <algorithm>

namespace polder::device::wire {

// A thread that fills pages leaves it to others, who may be asleep.
int OutsideCopier::copy_all() {
  if (state_.landings.empty() && state_.packings.empty()) return 0;
  if (FillingThread::here()) return state_.sleeper.wake(), 0;
  int done = 0;
  for (; const auto landing = state_.landings.take(); ++done) {
    util::copy(landing->to, landing->from, landing->bytes);
    if (landing->frame != nullptr) state_.frames.give_back(landing->frame);
    state_.operations.end_part(landing->operation);
  }
  return done + pack_all();
}

int OutsideCopier::pack_all() {
  if (FillingThread::here()) return state_.sleeper.wake(), 0;
  int done = 0;
  for (; const auto packing = state_.packings.take(); ++done) pack(*packing);
  return done;
}

// Each part leaves as soon as it is copied.
void OutsideCopier::pack(const Packing& packing) {
  bool goes = true;
  for (std::size_t at = 0; goes && at < packing.bytes;) {
    const std::size_t bytes = std::min(packing.bytes - at, kPartBytes);
    const bool end = at + bytes == packing.bytes;
    Record record = packing.record;
    record.offset += at;
    Frame* frame = state_.frames.take();
    state_.note_stores(*frame, record, bytes);
    record.detail = packing.more || !end ? kMore : 0;
    frame->copy_part(record, {packing.from + at, bytes}, end ? packing.flag : std::nullopt);
    if (end && packing.last) frame->append(packing.operation);
    goes = take_packed(packing, *frame, end);
    if (goes) entrance_.hand_on(*packing.link, true);
    at += bytes;
  }
  state_.operations.end_part(packing.operation);
}

// False: the link was lost meanwhile.
bool OutsideCopier::take_packed(const Packing& packing, Frame& frame, bool end) {
  Link& link = *packing.link;
  util::SpinGuard lock(link.lock);
  if (!link.still_takes(packing.incarnation)) return state_.frames.give_back(&frame), false;
  link.queues.add_copied(frame, end);
  return true;
}

}  // namespace polder::device::wire
