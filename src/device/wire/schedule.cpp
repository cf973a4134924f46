// What goes next of all that waits for a link, under the device's lock: in order, as far as anybody can tell.
#include "device/wire/wire_device.hpp"

#include <algorithm>

namespace polder::device::wire {

WireDevice::Step WireDevice::next_step(Link& link) {
  util::SpinGuard lock(link.lock);
  link.accesses.held = false;
  while (!link.waiting.empty() && link.waiting.front().gone) link.waiting.pop_front();
  if (link.waiting.empty()) return {};
  const Step step = choose(link);
  // All that was refused is told with this frame at the latest.
  if (link.waiting.empty()) link.withheld = 0;
  return step;
}

// The first that waits, unless it is a message behind puts that have not arrived. Then accesses behind it may
// go first which touch nothing that those before them write: so the next large put does not wait for the flag of the
// one before.
WireDevice::Step WireDevice::choose(Link& link) {
  Accesses& accesses = link.accesses;
  Stretch passed;
  for (std::size_t i = 0; i < link.waiting.size(); ++i) {
    Waiting& waiting = link.waiting[i];
    Bulk& bulk = waiting.bulk;
    if (waiting.gone) continue;
    if (waiting.frame == nullptr && accesses.possible && goes_by_access(link, bulk)) {
      const bool overtakes =
          i > 0 && (bulk.follows || passed.meets(bulk.record.region, bulk.record.offset, bulk.bytes));
      if (overtakes) break;
      const Step step = next_access(link, waiting);
      if (step.access == nullptr && step.ask == 0) break;
      return step;
    }
    if (!std::exchange(waiting.passed, true)) waiting.behind = accesses.issued;
    if (i == 0 && accesses.arrived >= waiting.behind) return next_frame(link, waiting);
    if (waiting.frame != nullptr)
      passed.add(waiting.frame->stores);
    else if (bulk.record.kind == RecordKind::put)
      passed.add(bulk.record.region, bulk.record.offset, bulk.bytes);
  }
  accesses.held = true;
  return {};
}

bool WireDevice::goes_by_access(Link& link, Bulk& bulk) {
  if (bulk.operation == nullptr || bulk.way == Bulk::Way::message) return false;
  if (bulk.way == Bulk::Way::open && bulk.bytes < rma_bytes_) return false;
  const RemoteMemory* memory = find_memory(link, bulk.record.region);
  if (memory == nullptr) return true;  // it will be asked for
  // A range that is wrong is refused at the target.
  return memory->state == RemoteMemory::State::granted && bulk.record.offset <= memory->size &&
         bulk.bytes <= memory->size - bulk.record.offset;
}

// Nothing if it must wait.
WireDevice::Step WireDevice::next_access(Link& link, Waiting& waiting) {
  Bulk& bulk = waiting.bulk;
  const auto known = link.accesses.memory.find(bulk.record.region);
  if (known == link.accesses.memory.end()) return {.ask = bulk.record.region};
  const auto bytes = std::uint32_t(std::min<std::uint64_t>(bulk.bytes, kAccessBytes));
  if (!link.accesses.window_open() || link.accesses.stores.meets(bulk.record.region, bulk.record.offset, bytes))
    return {};
  Access* access = accesses_.take();
  access->link = &link;
  access->incarnation = link.incarnation;
  access->operation = bulk.operation;
  access->memory = known->second;
  access->region = bulk.record.region;
  access->local = bulk.local;
  access->offset = bulk.record.offset;
  access->bytes = bytes;
  access->last = bulk.last && bulk.bytes == bytes;
  access->follows = bulk.follows;
  bulk.way = Bulk::Way::access;
  bulk.local += bytes;
  bulk.record.offset += bytes;
  bulk.bytes -= bytes;
  if (bulk.bytes != 0)
    ++bulk.operation->unsent;
  else
    waiting.gone = true;  // its own share is that of the last part
  return {.access = access};
}

WireDevice::Step WireDevice::next_frame(Link& link, Waiting& waiting) {
  Step step;
  if (waiting.frame != nullptr) {
    step.frame = waiting.frame;
    link.waiting.pop_front();
  } else if (waiting.bulk.record.kind == RecordKind::get) {
    step.frame = next_question(waiting.bulk);
    link.waiting.pop_front();
  } else {
    waiting.bulk.way = Bulk::Way::message;
    step.frame = next_part(link, waiting, step.part);
  }
  return step;
}

// What is left of a get whose memory is reached by messages.
Frame* WireDevice::next_question(const Bulk& bulk) {
  Frame* frame = frames_.take();
  Record record = bulk.record;
  Operation& operation = *bulk.operation;
  if (bulk.way == Bulk::Way::access) {
    record.index = std::uint32_t(operation.pieces.size());
    operation.pieces.push_back({bulk.local, record.offset, bulk.bytes});
  }
  const GetPayload payload{bulk.bytes};
  frame->append(record, std::as_bytes(std::span(&payload, 1)));
  free_memory(operation);
  return frame;
}

Frame* WireDevice::next_part(Link& link, Waiting& waiting, std::span<const std::byte>& part) {
  Bulk& bulk = waiting.bulk;
  Frame* frame = frames_.take();
  sleeper_.note_part_sent();
  const std::size_t bytes = std::min<std::uint64_t>(bulk.bytes, kPartBytes);
  if (bulk.operation != nullptr) {
    part = {bulk.local, bytes};
    bulk.local += bytes;
    frame->source = bulk.operation;
    if (rma_) frame->stores.add(bulk.record.region, bulk.record.offset, bytes);
    ++bulk.operation->unsent;
  } else if (Exposed* exposed = exposed_.find(bulk.record.region)) {
    part = {exposed->data + bulk.from, bytes};
    bulk.from += bytes;
    frame->exposed = bulk.record.region;
    ++exposed->readers;
  } else {
    frame->append(
        {.kind = RecordKind::failed, .detail = std::uint8_t(Code::invalid_segment), .operation = bulk.record.operation},
        {});
    link.waiting.pop_front();
    return frame;
  }
  Record record = bulk.record;
  record.bytes = std::uint32_t(bytes);
  record.detail = bulk.bytes > bytes ? kMore : 0;
  std::memcpy(frame->bytes.data() + sizeof(FrameHeader), &record, sizeof record);
  frame->used = sizeof(PartHeader);
  bulk.record.offset += bytes;
  bulk.bytes -= bytes;
  if (bulk.bytes != 0) return frame;
  if (bulk.operation != nullptr) --bulk.operation->unsent;  // its own share; the parts have theirs
  if (bulk.last) frame->append(bulk.operation);
  link.waiting.pop_front();
  return frame;
}

}  // namespace polder::device::wire
