#include "device/wire/post/poster.hpp"

#include "device/filling_thread.hpp"

#include <algorithm>
#include <string>

namespace polder::device::wire {
namespace {

std::uint64_t total_of(std::span<const Piece> pieces) {
  std::uint64_t bytes = 0;
  for (const Piece& piece : pieces) bytes += piece.bytes;
  return bytes;
}

void complete(CompletionSink* completion) {
  completion->local();
  completion->remote({});
}

}  // namespace

Status Poster::refuse(const char* operation, Rank peer) const {
  return {Code::peer_failed,
          state_.name + ": " + operation + " of rank " + std::to_string(state_.rank) + ": rank " +
              std::to_string(peer) + " is not connected",
          Died::peer};
}

// Twice under the lock of the link: nothing is packed in vain where it must be refused.
Status Poster::put(Rank peer, const Region& region, std::span<const Piece> pieces, const FlagToRaise* flag,
                   CompletionSink* completion) {
  Link* link = state_.links.find(peer);
  const char* const name = flag == nullptr ? "put" : "put_notify";
  const bool urgent = FillingThread::here();
  if (link == nullptr) return refuse(name, peer);
  if (Status status = check_room(*link, name, urgent); !status.ok()) return status;
  if (flag == nullptr && total_of(pieces) == 0) return complete(completion), Status();
  WireOperation* operation = state_.operations.take(WireOperation::Kind::put, completion, *link);
  if (operation == nullptr) return Code::queue_full;
  Parcel parcel(state_.frames);
  packer_.pack(parcel, region, pieces, flag, *operation);
  const bool copied = operation->parts.load(std::memory_order_relaxed) == 0;
  util::SpinGuard lock(link->lock);
  if (Status status = may_wait(*link, name, urgent); !status.ok()) {
    lock.unlock();
    state_.operations.give_back(operation);
    return status;
  }
  operation->incarnation.store(link->incarnation(), std::memory_order_relaxed);
  link->queues.take(parcel, urgent);
  const bool must_send = link->queues.must_send();
  lock.unlock();
  const bool in_company = flag != nullptr && flag->flag.in_company && total_of(pieces) <= kCompanyBytes;
  if (in_company) state_.dirty.add(*link);
  const bool is_left = in_company && (flag->flag.followed || state_.sleeper.looks_soon());
  if (!is_left) copier_.hand_on(*link, must_send);
  if (copied) state_.operations.tell_local(operation);
  return {};
}

Status Poster::check_room(Link& link, const char* operation, bool urgent) const {
  util::SpinGuard lock(link.lock);
  return may_wait(link, operation, urgent);
}

Status Poster::may_wait(Link& link, const char* operation, bool urgent) const {
  if (!link.may_post()) return refuse(operation, link.peer);
  return link.queues.has_room(urgent) ? Status() : Status(Code::queue_full);
}

Status Poster::get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) {
  Link* link = state_.links.find(peer);
  const bool urgent = FillingThread::here();
  if (link == nullptr) return refuse("get", peer);
  util::SpinGuard lock(link->lock);
  if (!link->may_post()) return lock.unlock(), refuse("get", peer);
  if (!link->may_ask(urgent)) return Code::queue_full;
  const std::uint64_t bytes = total_of(pieces);
  if (bytes == 0) return lock.unlock(), complete(completion), Status();
  WireOperation* operation = state_.operations.take(WireOperation::Kind::get, completion, *link);
  if (operation == nullptr) return Code::queue_full;
  operation->incarnation.store(link->incarnation(), std::memory_order_relaxed);
  operation->missing = bytes;
  operation->pieces.assign(pieces.begin(), pieces.end());
  operation->foreign = std::any_of(pieces.begin(), pieces.end(),
                                   [&](const Piece& piece) { return memory_.is_foreign(piece.local, piece.bytes); });
  link->note_question();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (piece.bytes == 0) continue;
    const GetPayload payload{piece.bytes};
    const Record record{.kind = RecordKind::get,
                        .operation = operation->id,
                        .index = std::uint32_t(i),
                        .region = region.handle,
                        .offset = piece.remote};
    if (state_.rma && piece.bytes >= state_.rma_bytes) {
      link->queues.wait_with({.record = record,
                              .local = piece.local,
                              .bytes = piece.bytes,
                              .operation = operation,
                              .foreign = operation->foreign},
                             urgent);
      operation->begin_part();
    } else {
      link->queues.frame_for(sizeof payload, state_.frames, urgent).append(record, payload_of(payload));
    }
  }
  const bool must_send = link->queues.must_send();
  lock.unlock();
  copier_.hand_on(*link, must_send);
  return {};
}

Status Poster::atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion) {
  Link* link = state_.links.find(peer);
  const bool urgent = FillingThread::here();
  if (link == nullptr) return refuse("atomic", peer);
  util::SpinGuard lock(link->lock);
  if (!link->may_post()) return lock.unlock(), refuse("atomic", peer);
  if (!link->may_ask(urgent)) return Code::queue_full;
  WireOperation* operation = state_.operations.take(WireOperation::Kind::atomic, completion, *link);
  if (operation == nullptr) return Code::queue_full;
  operation->incarnation.store(link->incarnation(), std::memory_order_relaxed);
  operation->old = request.old;
  operation->foreign = !urgent;
  link->note_question();
  const AtomicPayload payload{request.operand, request.compare};
  const Record record{.kind = RecordKind::atomic,
                      .detail = std::uint8_t(std::uint8_t(request.op) | (request.width == 8 ? kWide : 0)),
                      .operation = operation->id,
                      .region = region.handle,
                      .offset = request.offset};
  Frame& frame = link->queues.frame_for(sizeof payload, state_.frames, urgent);
  frame.append(record, payload_of(payload));
  if (state_.rma) frame.stores.add(region.handle, request.offset, request.width);
  const bool must_send = link->queues.must_send();
  lock.unlock();
  copier_.hand_on(*link, must_send);
  return {};
}

Status Poster::send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body) {
  const std::size_t bytes = head.size() + body.size();
  if (bytes > kMaxMessage)
    return {Code::invalid_size, state_.name + ": a message of " + std::to_string(bytes) + " bytes to rank " +
                                    std::to_string(peer) + "; the largest has " + std::to_string(kMaxMessage)};
  Link* link = state_.links.find(peer);
  if (link == nullptr) return refuse("send", peer);
  const bool urgent = FillingThread::here();
  if (Status status = check_room(*link, "send", urgent); !status.ok()) return status;
  Parcel parcel(state_.frames);
  parcel.frame_for(bytes).append({.kind = RecordKind::message, .handler = handler}, head, body);
  {
    util::SpinGuard lock(link->lock);
    if (Status status = may_wait(*link, "send", urgent); !status.ok()) return status;
    if (!link->messages.post(std::uint32_t(sizeof(Record) + bytes))) return Code::queue_full;
    link->queues.take(parcel, urgent);
  }
  copier_.hand_on(*link, true);
  return {};
}

}  // namespace polder::device::wire
