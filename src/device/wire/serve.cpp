// What the records of a peer ask for, and the answers to those of this rank.
#include "device/wire/wire_device.hpp"
#include "device/words.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <atomic>

namespace polder::device::wire {
namespace {

template <class T>
bool read(std::span<const std::byte> payload, T& value) {
  if (payload.size() != sizeof value) return false;
  std::memcpy(&value, payload.data(), sizeof value);
  return true;
}

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

void WireDevice::serve(Link& link, const Record& record, std::span<const std::byte> payload) {
  switch (record.kind) {
    case RecordKind::put: return serve_put(link, record, payload);
    case RecordKind::flag: return serve_flag(link, record, payload);
    case RecordKind::message: return serve_message(link, record, payload);
    case RecordKind::get: return serve_get(link, record, payload);
    case RecordKind::atomic: return serve_atomic(link, record, payload);
    case RecordKind::data: return take_data(link, record, payload);
    case RecordKind::old: return take_old(link, record, payload);
    case RecordKind::failed: return take_failure(link, record);
    case RecordKind::ask: return keys_.serve_ask(link, record);
    case RecordKind::key: return keys_.take_key(link, record, payload);
    case RecordKind::revoke: return keys_.take_revoke(link, record);
    case RecordKind::release: return keys_.take_release(link, record);
    case RecordKind::ping: return;
    case RecordKind::bye:
      link.note_farewell();
      state_.inbox.add({link.peer, link.incarnation(), 0, true}, {});
      return state_.give_up(link, {Code::peer_failed, "rank " + std::to_string(link.peer) + " has left", Died::peer},
                            true);
  }
}

// ---- at the target ----

void WireDevice::serve_put(Link& link, const Record& record, std::span<const std::byte> payload) {
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

void WireDevice::serve_flag(Link& link, const Record& record, std::span<const std::byte> payload) {
  // A flag says that the data is there.
  if (link.refusals.has(record)) return;
  FlagPayload flag;
  Exposed* control = state_.exposed.find(record.region);
  if (control == nullptr) return responder_.refuse(link, record, Code::invalid_segment);
  if (!read(payload, flag) || !control->contains(record.offset, 4) ||
      !control->contains(flag.bell_offset, sizeof(util::Bell)) || !is_aligned(control->data + record.offset, 4) ||
      !is_aligned(control->data + flag.bell_offset, alignof(util::Bell)))
    return responder_.refuse(link, record, Code::invalid_offset);
  raise_flag(control->data, {.offset = record.offset,
                             .bell_offset = flag.bell_offset,
                             .value = std::uint32_t(flag.value),
                             .adds = (record.detail & kAdds) != 0});
  ++state_.events;
}

void WireDevice::serve_message(Link& link, const Record& record, std::span<const std::byte> payload) {
  state_.inbox.add({link.peer, link.incarnation(), record.handler}, payload);
}

void WireDevice::serve_get(Link& link, const Record& record, std::span<const std::byte> payload) {
  GetPayload wanted;
  Exposed* exposed = state_.exposed.find(record.region);
  if (exposed == nullptr) return responder_.refuse(link, record, Code::invalid_segment);
  if (!read(payload, wanted) || !exposed->contains(record.offset, wanted.bytes))
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

void WireDevice::serve_atomic(Link& link, const Record& record, std::span<const std::byte> payload) {
  AtomicPayload operands;
  const std::size_t width = (record.detail & kWide) != 0 ? 8 : 4;
  const std::uint8_t op = record.detail & std::uint8_t(~kWide);
  Exposed* exposed = state_.exposed.find(record.region);
  if (exposed == nullptr) return responder_.refuse(link, record, Code::invalid_segment);
  if (!read(payload, operands) || op > std::uint8_t(AtomicOp::fetch_xor) || !exposed->contains(record.offset, width))
    return responder_.refuse(link, record, Code::invalid_offset);
  std::byte* place = exposed->data + record.offset;
  if (!is_aligned(place, width)) return responder_.refuse(link, record, Code::invalid_alignment);
  const std::uint64_t old = apply_atomic(place, AtomicOp(op), width, operands.operand, operands.compare);
  ++state_.events;
  responder_.respond(link, {.kind = RecordKind::old, .operation = record.operation},
                     {reinterpret_cast<const std::byte*>(&old), sizeof old});
}

// ---- at the initiator ----

WireOperation* WireDevice::asked_of(Link& link, const Record& record) {
  return state_.operations.find(record.operation, link, link.incarnation());
}

// Where so many bytes of what a get has asked for go; null: it has not asked for them.
std::byte* WireDevice::place_of_answer(const WireOperation* operation, const Record& record, std::size_t bytes) {
  if (operation == nullptr || operation->kind != WireOperation::Kind::get || record.index >= operation->pieces.size())
    return nullptr;
  const Piece& piece = operation->pieces[record.index];
  if (record.offset > piece.bytes || bytes > piece.bytes - record.offset || bytes > operation->missing ||
      bytes > kMostPartBytes)
    return nullptr;
  return piece.local + record.offset;
}

void WireDevice::take_data(Link& link, const Record& record, std::span<const std::byte> payload) {
  WireOperation* operation = asked_of(link, record);
  std::byte* const place = place_of_answer(operation, record, payload.size());
  if (place == nullptr) return;
  land(*operation, place, payload);
  operation->missing -= payload.size();
  if (operation->missing == 0) state_.take_answer(link, *operation);
}

void WireDevice::take_old(Link& link, const Record& record, std::span<const std::byte> payload) {
  WireOperation* operation = asked_of(link, record);
  std::uint64_t old = 0;
  if (operation == nullptr || operation->kind != WireOperation::Kind::atomic || !read(payload, old)) return;
  operation->old_value = old;
  if (operation->foreign && operation->old != nullptr) {
    operation->begin_part();
    state_.landings.add({operation, reinterpret_cast<std::byte*>(operation->old),
                         reinterpret_cast<const std::byte*>(&operation->old_value), sizeof old, nullptr});
  }
  state_.take_answer(link, *operation);
}

void WireDevice::take_failure(Link& link, const Record& record) {
  WireOperation* operation = asked_of(link, record);
  if (operation == nullptr || !operation->status.ok()) return;
  const auto code =
      record.detail == 0 || record.detail > std::uint8_t(Code::system) ? Code::system : Code(record.detail);
  const char* const why =
      code == Code::invalid_segment ? " does not offer this memory any more" : " could not carry out the operation";
  operation->status = Status(code, state_.name + ": rank " + std::to_string(link.peer) + why, Died::operation);
  // A put ends with the acknowledgement of its last record.
  if (operation->kind != WireOperation::Kind::put) state_.take_answer(link, *operation);
}

}  // namespace polder::device::wire
