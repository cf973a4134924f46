#include "core/emulate/emulation.hpp"

#include "core/emulate/one_sided_message.hpp"
#include "core/message/requests.hpp"
#include "core/progress/outside.hpp"

#include <cstring>

namespace polder::core {
namespace {

OneSidedHead head_of(OneSidedKind kind, NamedSegment segment) {
  OneSidedHead head;
  head.kind = std::uint8_t(kind);
  head.segment = segment.id;
  head.generation = segment.generation;
  return head;
}

OneSidedHead head_of(OneSidedKind kind, NamedSegment segment, const device::Piece& piece) {
  OneSidedHead head = head_of(kind, segment);
  head.offset = piece.remote;
  head.bytes = piece.bytes;
  return head;
}

OneSidedHead head_of(OneSidedKind kind, NamedSegment segment, const Emulation::Packed& packed) {
  OneSidedHead head = head_of(kind, segment);
  head.runs = packed.runs;
  head.bytes = packed.bytes;
  return head;
}

void add(OneSidedHead& head, const NamedFlag& flag) {
  if (flag.notification == nullptr) return;
  head.has_flag = 1;
  head.flag_id = flag.notification->id;
  head.flag_value = flag.notification->value;
  head.flag_op = std::uint8_t(flag.notification->op);
  head.flag_segment = flag.notification->segment;
  head.flag_generation = flag.generation;
}

void add(OneSidedHead& head, const Accumulation& how) {
  head.reduction = std::uint8_t(how.op);
  head.type = std::uint8_t(how.type);
  if (how.scale != nullptr) std::memcpy(head.scale, how.scale, size_of(how.type));
}

std::span<const std::byte> body_of(const device::Piece& piece) {
  return {piece.local, piece.bytes};
}

}  // namespace

std::size_t Emulation::max_payload() const {
  return (outside_.device->capabilities().max_message - sizeof(OneSidedHead)) / 64 * 64;
}

// The body is the caller's again once it has been sent.
Status Emulation::send_writing(Peer& peer, OneSidedHead& head, std::span<const std::byte> body,
                               device::CompletionSink* completion) {
  return requests_.call(peer, number::kOneSided, head, body, {.completion = completion, .reads_local = true});
}

// ---- one piece ----

Status Emulation::put(Peer& peer, NamedSegment segment, const device::Piece& piece, const NamedFlag& flag,
                      device::CompletionSink* completion) {
  OneSidedHead head = head_of(OneSidedKind::put, segment, piece);
  add(head, flag);
  return send_writing(peer, head, body_of(piece), completion);
}

Status Emulation::get(Peer& peer, NamedSegment segment, const device::Piece& piece,
                      device::CompletionSink* completion) {
  OneSidedHead head = head_of(OneSidedKind::get, segment, piece);
  return requests_.call(peer, number::kOneSided, head, {},
                        {.completion = completion, .data = piece.local, .bytes = piece.bytes});
}

Status Emulation::update(Peer& peer, NamedSegment segment, std::uint64_t offset, const Update& wanted,
                         std::uint64_t* old, device::CompletionSink* completion) {
  OneSidedHead head = head_of(OneSidedKind::update, segment);
  head.update = std::uint8_t(wanted.kind);
  head.atomic = std::uint8_t(wanted.op);
  head.reduction = std::uint8_t(wanted.reduction);
  head.type = std::uint8_t(wanted.type);
  head.width = wanted.width;
  head.offset = offset;
  head.bytes = wanted.width;
  head.operand = wanted.operand;
  head.compare = wanted.compare;
  return requests_.call(peer, number::kOneSided, head, {},
                        {.completion = completion, .data = reinterpret_cast<std::byte*>(old), .bytes = sizeof *old});
}

Status Emulation::accumulate(Peer& peer, NamedSegment segment, const device::Piece& piece, const Accumulation& how,
                             device::CompletionSink* completion) {
  OneSidedHead head = head_of(OneSidedKind::accumulate, segment, piece);
  add(head, how);
  return send_writing(peer, head, body_of(piece), completion);
}

// ---- many pieces ----

Status Emulation::put_packed(Peer& peer, NamedSegment segment, const Packed& packed, const NamedFlag& flag,
                             device::CompletionSink* completion) {
  OneSidedHead head = head_of(OneSidedKind::put, segment, packed);
  add(head, flag);
  return send_writing(peer, head, packed.body, completion);
}

Status Emulation::get_packed(Peer& peer, NamedSegment segment, const Packed& packed,
                             std::span<const device::Piece> scatter, device::CompletionSink* completion) {
  OneSidedHead head = head_of(OneSidedKind::get, segment, packed);
  return requests_.call(peer, number::kOneSided, head, packed.body,
                        {.completion = completion, .bytes = packed.bytes, .scatter = {scatter.begin(), scatter.end()}});
}

Status Emulation::accumulate_packed(Peer& peer, NamedSegment segment, const Packed& packed, const Accumulation& how,
                                    device::CompletionSink* completion) {
  OneSidedHead head = head_of(OneSidedKind::accumulate, segment, packed);
  add(head, how);
  return send_writing(peer, head, packed.body, completion);
}

}  // namespace polder::core
