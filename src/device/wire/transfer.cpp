// Operations become records. What is small is copied into a frame, with no lock held; what is large waits where it
// lies.
#include "device/wire/wire_device.hpp"

#include <algorithm>
#include <string>

namespace polder::device::wire {
namespace {

constexpr std::size_t kPackedAtPost = 8;  // parts of a large put that are copied as it is posted

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return {reinterpret_cast<const std::byte*>(&value), sizeof value};
}

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

Status WireDevice::refuse(const char* operation, Rank peer) const {
  return {Code::peer_failed,
          state_.name + ": " + operation + " of rank " + std::to_string(state_.rank) + ": rank " +
              std::to_string(peer) + " is not connected",
          Died::peer};
}

Status WireDevice::put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) {
  return post_put(peer, region, pieces, nullptr, completion);
}

Status WireDevice::put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                              const Flag& flag, CompletionSink* completion) {
  const NamedFlag named{control, flag};
  return post_put(peer, region, pieces, &named, completion);
}

// Twice under the lock of the link: nothing is packed in vain where it must be refused.
Status WireDevice::post_put(Rank peer, const Region& region, std::span<const Piece> pieces, const NamedFlag* flag,
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
  pack_put(parcel, region, pieces, flag, *operation);
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
  if (!is_left) kick(*link, must_send);
  if (copied) state_.operations.tell_local(operation);
  return {};
}

Status WireDevice::check_room(Link& link, const char* operation, bool urgent) const {
  util::SpinGuard lock(link.lock);
  return may_wait(link, operation, urgent);
}

Status WireDevice::may_wait(Link& link, const char* operation, bool urgent) const {
  if (!link.may_post()) return refuse(operation, link.peer);
  return link.queues.has_room(urgent) ? Status() : Status(Code::queue_full);
}

void WireDevice::pack_put(Parcel& parcel, const Region& region, std::span<const Piece> pieces, const NamedFlag* flag,
                          WireOperation& operation) {
  const std::uint8_t unawaited = flag != nullptr && flag->flag.unawaited ? kUnawaited : std::uint8_t{0};
  std::optional<FlagRecord> own_frame;
  if (flag != nullptr) own_frame = record_of(*flag, operation);
  bool framed = false;
  for (const Piece& piece : pieces) {
    if (piece.bytes == 0) continue;
    const Record record{.kind = RecordKind::put,
                        .detail = unawaited,
                        .operation = operation.id,
                        .index = operation.round,
                        .region = region.handle,
                        .offset = piece.remote};
    if (piece.bytes <= kPackLimit) {
      Frame& frame = parcel.frame_for(piece.bytes);
      frame.append(record, {piece.local, piece.bytes});
      state_.note_stores(frame, record, piece.bytes);
      framed = true;
    } else {
      Bulk bulk{.record = record,
                .local = piece.local,
                .bytes = piece.bytes,
                .operation = &operation,
                .follows = framed,
                .foreign = is_foreign(piece.local, piece.bytes)};
      if (&piece == &pieces.back() && goes_with_parts(piece)) std::swap(bulk.flag, own_frame);
      if (bulk.foreign) pack_parts(parcel, bulk);
      if (bulk.bytes == 0) continue;
      parcel.add({.bulk = bulk});
      operation.begin_part();
    }
  }
  if (own_frame) parcel.frame_for(sizeof own_frame->payload).append(own_frame->record, bytes_of(own_frame->payload));
  if (Waiting& end = parcel.back(); end.frame != nullptr)
    end.frame->append(&operation);
  else
    end.bulk.last = true;
}

FlagRecord WireDevice::record_of(const NamedFlag& flag, const WireOperation& operation) {
  return {{.kind = RecordKind::flag,
           .detail = std::uint8_t((flag.flag.adds ? kAdds : 0) | (flag.flag.unawaited ? kUnawaited : 0)),
           .bytes = sizeof(FlagPayload),
           .operation = operation.id,
           .index = operation.round,
           .region = flag.control.handle,
           .offset = flag.flag.offset},
          {flag.flag.bell_offset, flag.flag.value}};
}

// A flag may go with the last part of such a piece, and saves a frame. Not where memory may be reached without the target.
bool WireDevice::goes_with_parts(const Piece& piece) const {
  return !state_.rma || piece.bytes < state_.rma_bytes;
}

// Of a thread that fills pages, all memory is there; and where no thread does so nobody lies in wait for a page. A network that
// reaches into memory would have to be told of it.
bool WireDevice::is_foreign(const void* memory, std::uint64_t bytes) {
  return (state_.rma || pages_are_filled_.load(std::memory_order_relaxed)) && !FillingThread::here() &&
         !present_.contains(memory, bytes);
}

// As much as should be on its way soon; the rest follows as the window opens.
void WireDevice::pack_parts(Parcel& parcel, Bulk& bulk) {
  if (state_.rma && bulk.bytes >= state_.rma_bytes) return;  // the key may have to be asked for first
  for (std::size_t parts = 0; parts < kPackedAtPost && bulk.bytes != 0; ++parts) {
    const std::size_t bytes = std::min<std::uint64_t>(bulk.bytes, kPartBytes);
    Record record = bulk.record;
    const bool last = bulk.bytes == bytes;
    record.detail = last ? 0 : kMore;
    Frame* frame = state_.frames.take();
    parcel.add({.frame = frame, .bulk = {}});
    frame->copy_part(record, {bulk.local, bytes}, last ? bulk.flag : std::nullopt);
    state_.note_stores(*frame, bulk.record, bytes);
    bulk.local += bytes;
    bulk.record.offset += bytes;
    bulk.bytes -= bytes;
  }
}

Status WireDevice::get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) {
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
                                   [&](const Piece& piece) { return is_foreign(piece.local, piece.bytes); });
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
      link->queues.frame_for(sizeof payload, state_.frames, urgent).append(record, bytes_of(payload));
    }
  }
  const bool must_send = link->queues.must_send();
  lock.unlock();
  kick(*link, must_send);
  return {};
}

Status WireDevice::atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion) {
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
  frame.append(record, bytes_of(payload));
  if (state_.rma) frame.stores.add(region.handle, request.offset, request.width);
  const bool must_send = link->queues.must_send();
  lock.unlock();
  kick(*link, must_send);
  return {};
}

// ---- handing over to whoever holds the device's lock ----

// The one who finds the lock taken leaves at once: its holder looks for more after giving it back. So while one thread
// is in a system call, the others pack, and their operations travel together.
//
// Where much is under way to the peer, small operations are gathered too, as Nagle (RFC 896) has it, but only
// behind several frames: until the next acknowledgement, or until anybody polls, which whoever waits does at once.
void WireDevice::kick(Link& link, bool must_send) {
  hand_on(link, must_send);
  if (!state_.packings.empty()) pack_outside();
}

void WireDevice::hand_on(Link& link, bool must_send) {
  if (!must_send && link.window.crowded(std::memory_order_relaxed)) {
    state_.dirty.add(link);
    // Looked at once more: whoever clears it takes what is marked by then along.
    if (link.window.crowded(std::memory_order_seq_cst)) return;
  } else if (try_enter()) {
    pump_.pump(link);
    return leave();
  } else {
    state_.dirty.add(link);
  }
  if (try_enter()) leave();
}

}  // namespace polder::device::wire
