#include "device/wire/schedule/link_schedule.hpp"

#include <algorithm>

namespace polder::device::wire {
namespace {

constexpr std::size_t kPackedAhead = 4;  // parts of a large put that are copied at a time while others are sent

// A part of a large put that has been copied, as if it were one by itself.
Bulk bulk_of(Frame& frame, const Bulk& whole) {
  Bulk bulk = whole;
  std::memcpy(&bulk.record, frame.bytes.data() + sizeof(FrameHeader), sizeof bulk.record);
  bulk.local = frame.bytes.data() + frame.used;
  bulk.bytes = frame.part;
  return bulk;
}

}  // namespace

LinkSchedule::Step LinkSchedule::next(Link& link) {
  util::SpinGuard lock(link.lock);
  if (link.queues.any_urgent()) {
    const Step step = next_frame(link, kUrgent);
    // All that was refused is told with this frame at the latest.
    if (!link.queues.any_urgent()) link.order.release();
    return step;
  }
  link.accesses.held = false;
  link.queues.forget_gone();
  return link.queues.posted() == 0 ? Step{} : choose(link);
}

// The first that waits, unless it is a message behind puts that have not arrived. Then accesses behind it may
// go first which touch nothing that those before them write: so the next large put does not wait for the flag of the
// one before.
LinkSchedule::Step LinkSchedule::choose(Link& link) {
  Accesses& accesses = link.accesses;
  Stretch passed;
  for (std::size_t i = 0; i < link.queues.posted(); ++i) {
    Waiting& waiting = link.queues[i];
    Bulk& bulk = waiting.bulk;
    if (waiting.gone) continue;
    const bool copied = waiting.frame == nullptr && bulk.foreign && bulk.record.kind == RecordKind::put;
    if (!copied && waiting.frame == nullptr && accesses.possible && goes_by_access(link, bulk)) {
      const bool overtakes =
          i > 0 && (bulk.follows || passed.meets(bulk.record.region, bulk.record.offset, bulk.bytes));
      if (overtakes) break;
      const Step step = next_access(link, waiting);
      if (step.access == nullptr && step.ask == 0) break;
      return step;
    }
    if (copied && i == 0) return next_copied(link, waiting);
    if (copied) break;
    if (may_leave(link, waiting) && i == 0) return next_frame(link, !kUrgent);
    if (waiting.frame != nullptr)
      passed.add(waiting.frame->stores);
    else if (bulk.record.kind == RecordKind::put)
      passed.add(bulk.record.region, bulk.record.offset, bulk.bytes);
  }
  accesses.held = true;
  return {};
}

bool LinkSchedule::goes_by_access(Link& link, const Bulk& bulk) {
  if (bulk.operation == nullptr || bulk.way == Bulk::Way::message) return false;
  if (bulk.way == Bulk::Way::open && bulk.bytes < state_.rma_bytes) return false;
  const RemoteMemory* memory = link.accesses.find(bulk.record.region);
  if (memory == nullptr) return true;  // it will be asked for
  // A range that is wrong is refused at the target.
  return memory->state == RemoteMemory::State::granted && bulk.record.offset <= memory->size &&
         bulk.bytes <= memory->size - bulk.record.offset;
}

// Whether the puts that went before it have arrived.
bool LinkSchedule::may_leave(Link& link, Waiting& waiting) {
  if (!std::exchange(waiting.passed, true)) waiting.behind = link.accesses.issued;
  return link.accesses.arrived >= waiting.behind;
}

// Nothing if it must wait.
LinkSchedule::Step LinkSchedule::next_access(Link& link, Waiting& waiting) {
  Bulk& bulk = waiting.bulk;
  const auto known = link.accesses.memory.find(bulk.record.region);
  if (known == link.accesses.memory.end()) return {.ask = bulk.record.region};
  auto bytes = std::uint32_t(std::min<std::uint64_t>(bulk.bytes, kAccessBytes));
  if (!link.accesses.window_open() || link.accesses.stores.meets(bulk.record.region, bulk.record.offset, bytes))
    return {};
  const bool lands = bulk.foreign && bulk.record.kind == RecordKind::get;
  if (lands) bytes = std::min(bytes, std::uint32_t(kPartBytes));
  RemoteAccess* access = state_.accesses.take();
  access->link = &link;
  access->incarnation = link.incarnation();
  access->operation = bulk.operation;
  access->put = bulk.record.kind == RecordKind::put;
  access->memory = known->second;
  access->region = bulk.record.region;
  access->frame = lands ? state_.frames.take() : nullptr;
  access->to = bulk.local;
  access->local = lands ? access->frame->bytes.data() : bulk.local;
  access->offset = bulk.record.offset;
  access->bytes = bytes;
  access->last = bulk.last && bulk.bytes == bytes;
  access->follows = bulk.follows;
  bulk.way = Bulk::Way::access;
  bulk.local += bytes;
  bulk.record.offset += bytes;
  bulk.bytes -= bytes;
  if (bulk.bytes != 0)
    bulk.operation->begin_part();
  else
    waiting.gone = true;  // its own share is that of the last part
  return {.access = access};
}

LinkSchedule::Step LinkSchedule::next_frame(Link& link, bool urgent) {
  Step step;
  Waiting& waiting = link.queues.first(urgent);
  if (!urgent && goes_with_next(link)) {
    Frame* const company = waiting.frame;
    link.queues.pop(urgent);
    Waiting& next = link.queues.first(urgent);
    next.bulk.way = Bulk::Way::message;
    step.frame = next_part(next.bulk, step.part, company);
    if (next.bulk.bytes == 0) link.queues.pop(urgent);
  } else if (waiting.frame != nullptr) {
    step.frame = waiting.frame;
    step.part = waiting.frame->copied_part();
    link.queues.pop(urgent);
  } else if (waiting.bulk.record.kind == RecordKind::get) {
    step.frame = next_question(waiting.bulk);
    link.queues.pop(urgent);
  } else {
    waiting.bulk.way = Bulk::Way::message;
    step.frame = next_part(waiting.bulk, step.part);
    if (waiting.bulk.bytes == 0) link.queues.pop(urgent);
  }
  // An event: a thread that waits for the end of a long transfer looks on.
  if (!step.part.empty()) ++state_.events;
  return step;
}

// Whether the first are flags and short puts, like credits and heads of letters, and behind them is the first part of a put: one frame
// less. Not where memory is reached without the target.
bool LinkSchedule::goes_with_next(Link& link) {
  if (link.queues.posted() < 2 || link.accesses.possible) return false;
  const Waiting &first = link.queues[0], &next = link.queues[1];
  const bool is_part = next.frame == nullptr && !next.gone && !next.bulk.foreign && next.bulk.operation != nullptr &&
                       next.bulk.record.kind == RecordKind::put;
  return is_part && first.frame != nullptr && first.frame->is_company();
}

// Of a put whose pages may be missing the next parts are copied while the ones before are sent. Nothing if none is
// ready.
LinkSchedule::Step LinkSchedule::next_copied(Link& link, Waiting& waiting) {
  Bulk& bulk = waiting.bulk;
  if (!bulk.claimed && bulk.bytes != 0 && link.queues.copied() < kPackedAhead) claim(link, bulk);
  if (link.queues.copied() == 0) return {};
  Frame& frame = link.queues.first_copied();
  Step step;
  if (link.accesses.possible && goes_by_access(link, bulk_of(frame, bulk))) {
    step = next_copied_access(link, frame, bulk);
    if (step.access == nullptr) return step;
  } else if (may_leave(link, waiting)) {
    bulk.way = Bulk::Way::message;
    step = {.frame = &frame, .part = frame.copied_part()};
    ++state_.events;
  } else {
    link.accesses.held = true;
    return {};
  }
  link.queues.pop_copied();
  return step;
}

LinkSchedule::Step LinkSchedule::next_copied_access(Link& link, Frame& frame, Bulk& bulk) {
  Waiting part{.frame = nullptr, .bulk = bulk_of(frame, bulk)};
  part.bulk.last = frame.operations != nullptr;
  const Step step = next_access(link, part);
  link.accesses.held = step.access == nullptr && step.ask == 0;
  if (step.access == nullptr) return step;
  bulk.way = Bulk::Way::access;
  step.access->frame = &frame;
  return step;
}

void LinkSchedule::claim(Link& link, Bulk& bulk) {
  Packing packing{.link = &link,
                  .incarnation = link.incarnation(),
                  .operation = bulk.operation,
                  .record = bulk.record,
                  .from = bulk.local,
                  .bytes = std::min<std::uint64_t>(bulk.bytes, kPackedAhead * kPartBytes)};
  bulk.claimed = true;
  bulk.local += packing.bytes;
  bulk.record.offset += packing.bytes;
  bulk.bytes -= packing.bytes;
  packing.more = bulk.bytes != 0;
  packing.last = bulk.last && !packing.more;
  if (!packing.more) packing.flag = bulk.flag;
  if (packing.more) bulk.operation->begin_part();  // else the bulk's own share goes with them
  state_.packings.add(packing);
}

// What is left of a get whose memory is reached by messages.
Frame* LinkSchedule::next_question(const Bulk& bulk) {
  Frame* frame = state_.frames.take();
  Record record = bulk.record;
  WireOperation& operation = *bulk.operation;
  if (bulk.way == Bulk::Way::access) {
    record.index = std::uint32_t(operation.pieces.size());
    operation.pieces.push_back({bulk.local, record.offset, bulk.bytes});
  }
  const GetPayload payload{bulk.bytes};
  frame->append(record, std::as_bytes(std::span(&payload, 1)));
  state_.endings.end_part(operation);
  return frame;
}

// `company`: what goes in front of it; null: nothing.
Frame* LinkSchedule::next_part(Bulk& bulk, std::span<const std::byte>& part, Frame* company) {
  Frame* frame = company != nullptr ? company : state_.frames.take();
  const std::size_t bytes = std::min<std::uint64_t>(bulk.bytes, part_bytes_);
  if (bulk.operation != nullptr) {
    part = {bulk.local, bytes};
    bulk.local += bytes;
    frame->source = bulk.operation;
    state_.note_stores(*frame, bulk.record, bytes);
    bulk.operation->begin_part();
  } else if (Exposed* exposed = state_.exposed.find(bulk.record.region)) {
    part = {exposed->data + bulk.from, bytes};
    bulk.from += bytes;
    frame->exposed = bulk.record.region;
    ++exposed->readers;
  } else {
    frame->append(
        {.kind = RecordKind::failed, .detail = std::uint8_t(Code::invalid_segment), .operation = bulk.record.operation},
        {});
    bulk.bytes = 0;
    return frame;
  }
  Record record = bulk.record;
  record.detail = bulk.bytes > bytes ? kMore : 0;
  frame->head_part(record, bytes);
  bulk.record.offset += bytes;
  bulk.bytes -= bytes;
  if (bulk.bytes != 0) return frame;
  if (bulk.flag) frame->add_flag(*bulk.flag);
  if (bulk.operation != nullptr) state_.endings.end_part(*bulk.operation);  // its own share; the parts have theirs
  if (bulk.last) frame->append(bulk.operation);
  return frame;
}

}  // namespace polder::device::wire
