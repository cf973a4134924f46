#include "device/wire/receive/record_server.hpp"

#include "device/words.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <string>

namespace polder::device::wire {
namespace {

// Whole words where that is possible: threads of this rank may be looking.
void copy_in(std::byte* to, std::span<const std::byte> from) {
  if (to == from.data()) return;  // the network has put it there
  if constexpr (util::kThreadSanitizer) {
    std::size_t at = 0;
    for (; at + 8 <= from.size() && is_aligned(to + at, 8); at += 8) util::copy(to + at, from.data() + at, 8);
    from = from.subspan(at);
    to += at;
  }
  util::copy(to, from.data(), from.size());
}

}  // namespace

void RecordServer::serve_put(Link& link, const Record& record, std::span<const std::byte> payload) {
  Exposed* exposed = state_.exposed.find(record.region);
  if (exposed == nullptr) return responder_.refuse(link, record, Code::invalid_segment);
  const auto copy = [&](std::byte* place, std::uint64_t bytes) {
    copy_in(place, payload.first(bytes));
    payload = payload.subspan(bytes);
  };
  if (!exposed->each_run(record.offset, payload.size(), copy))
    return responder_.refuse(link, record, Code::invalid_offset);
  ++state_.events;
}

void RecordServer::serve_flag(Link& link, const Record& record, std::span<const std::byte> payload) {
  // A flag says that the data is there.
  if (link.refusals.has(record)) return;
  FlagPayload flag;
  Exposed* control = state_.exposed.find(record.region);
  if (control == nullptr) return responder_.refuse(link, record, Code::invalid_segment);
  if (!read_payload(payload, flag) || !control->contains(record.offset, 4) ||
      !control->contains(flag.bell_offset, sizeof(util::Bell)) || !is_aligned(control->data + record.offset, 4) ||
      !is_aligned(control->data + flag.bell_offset, alignof(util::Bell)))
    return responder_.refuse(link, record, Code::invalid_offset);
  raise_flag(control->data, {.offset = record.offset,
                             .bell_offset = flag.bell_offset,
                             .value = std::uint32_t(flag.value),
                             .adds = (record.detail & kAdds) != 0});
  ++state_.events;
}

void RecordServer::serve_message(Link& link, const Record& record, std::span<const std::byte> payload) {
  state_.inbox.add({link.peer, link.incarnation(), record.handler}, payload);
}

void RecordServer::serve_get(Link& link, const Record& record, std::span<const std::byte> payload) {
  GetPayload wanted;
  Exposed* exposed = state_.exposed.find(record.region);
  if (exposed == nullptr) return responder_.refuse(link, record, Code::invalid_segment);
  if (!read_payload(payload, wanted) || !exposed->contains(record.offset, wanted.bytes))
    return responder_.refuse(link, record, Code::invalid_offset);
  Record answer{
      .kind = RecordKind::data, .operation = record.operation, .index = record.index, .region = record.region};
  ++state_.events;
  const std::byte* from = exposed->data + record.offset;
  if (wanted.bytes > kPackLimit) {
    util::SpinGuard lock(link.lock);
    link.queues.wait_with({.record = answer, .from = record.offset, .bytes = wanted.bytes}, kUrgent);
    state_.dirty.add(link);
    return;
  }
  std::array<std::byte, kPackLimit> copy;
  copy_in(copy.data(), {from, wanted.bytes});
  responder_.respond(link, answer, {copy.data(), wanted.bytes});
}

void RecordServer::serve_atomic(Link& link, const Record& record, std::span<const std::byte> payload) {
  AtomicPayload operands;
  const std::size_t width = (record.detail & kWide) != 0 ? 8 : 4;
  const std::uint8_t op = record.detail & std::uint8_t(~kWide);
  Exposed* exposed = state_.exposed.find(record.region);
  if (exposed == nullptr) return responder_.refuse(link, record, Code::invalid_segment);
  if (!read_payload(payload, operands) || op > std::uint8_t(AtomicOp::fetch_xor) ||
      !exposed->contains(record.offset, width))
    return responder_.refuse(link, record, Code::invalid_offset);
  std::byte* place = exposed->data + record.offset;
  if (!is_aligned(place, width)) return responder_.refuse(link, record, Code::invalid_alignment);
  const std::uint64_t old = apply_atomic(place, AtomicOp(op), width, operands.operand, operands.compare);
  ++state_.events;
  responder_.respond(link, {.kind = RecordKind::old, .operation = record.operation},
                     {reinterpret_cast<const std::byte*>(&old), sizeof old});
}

void RecordServer::take_farewell(Link& link) {
  link.note_farewell();
  state_.inbox.add({link.peer, link.incarnation(), 0, true}, {});
  state_.give_up(link, {Code::peer_failed, "rank " + std::to_string(link.peer) + " has left", Died::peer}, true);
}

}  // namespace polder::device::wire
