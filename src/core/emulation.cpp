#include "core/emulation.hpp"

#include "core/accumulate_direct.hpp"
#include "core/atomic_direct.hpp"
#include "core/emulation_wire.hpp"
#include "core/engine.hpp"
#include "core/notification.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

namespace polder::core {
namespace {

constexpr device::HandlerId kRequestHandler = 0xff00;
constexpr device::HandlerId kReplyHandler = 0xff01;

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return {reinterpret_cast<const std::byte*>(&value), sizeof value};
}

}  // namespace

std::size_t Emulation::max_payload() const {
  return (engine_.device->capabilities().max_message - sizeof(Request)) / 64 * 64;
}

// ---- at the initiator ----

Status Emulation::put(Peer& peer, SegmentId segment, const device::Piece& piece, const Notification* flag,
                      device::Completion* completion) {
  Request request{.kind = Request::Kind::put, .segment = segment, .offset = piece.remote, .bytes = piece.bytes};
  if (flag != nullptr) {
    request.has_flag = 1;
    request.flag = *flag;
  }
  return send_request(peer, request, {piece.local, piece.bytes}, {.completion = completion});
}

Status Emulation::get(Peer& peer, SegmentId segment, const device::Piece& piece, device::Completion* completion) {
  Request request{.kind = Request::Kind::get, .segment = segment, .offset = piece.remote, .bytes = piece.bytes};
  return send_request(peer, request, {}, {.completion = completion, .data = piece.local, .bytes = piece.bytes});
}

Status Emulation::atomic(Peer& peer, SegmentId segment, const device::AtomicRequest& wanted,
                         device::Completion* completion) {
  Request request{.kind = Request::Kind::atomic,
                  .atomic = wanted.op,
                  .width = wanted.width,
                  .segment = segment,
                  .offset = wanted.offset,
                  .bytes = wanted.width,
                  .operand = wanted.operand,
                  .compare = wanted.compare};
  return send_request(peer, request, {}, {.completion = completion, .old = wanted.old});
}

Status Emulation::accumulate(Peer& peer, SegmentId segment, const device::Piece& piece, const Accumulation& how,
                             device::Completion* completion) {
  Request request{.kind = Request::Kind::accumulate,
                  .reduction = how.op,
                  .type = how.type,
                  .segment = segment,
                  .offset = piece.remote,
                  .bytes = piece.bytes};
  if (how.scale != nullptr) std::memcpy(request.scale, how.scale, size_of(how.type));
  return send_request(peer, request, {piece.local, piece.bytes}, {.completion = completion});
}

Status Emulation::send_request(Peer& peer, Request& request, std::span<const std::byte> body, Pending pending) {
  engine_.messaging.start_helper();  // somebody has to take the reply
  pending.peer = peer.rank;
  const bool reads_local = pending.data == nullptr && pending.scatter.empty() && pending.old == nullptr;
  {
    std::lock_guard lock(mutex_);
    request.token = next_token_++;
    pending_[request.token] = std::move(pending);
  }
  Status status = engine_.device->send(peer.rank, kRequestHandler, bytes_of(request), body);
  if (!status.ok()) {
    Pending taken;
    if (take(request.token, taken)) return status;
    return {};  // the peer failed meanwhile, and the completion has been told so
  }
  if (reads_local) tell_local(request.token);
  // The peer may have failed between the check of the caller and now; nobody else would notice this request.
  if (peer.failed.load(std::memory_order_acquire)) fail_requests_to(peer.rank);
  return {};
}

// The message holds a copy of what a put or accumulate read: its memory is the caller's again.
void Emulation::tell_local(std::uint64_t token) {
  std::lock_guard lock(mutex_);  // so that the reply does not end it meanwhile
  const auto found = pending_.find(token);
  if (found == pending_.end()) return;
  found->second.local_told = true;
  found->second.completion->local();
}

void Emulation::finish(const Reply& reply, std::span<const std::byte> data) {
  Pending pending;
  if (!take(reply.token, pending)) return;  // given up meanwhile
  if (reply.code == Code::ok) scatter(pending, data);
  if (pending.data != nullptr && reply.code == Code::ok && data.size() == pending.bytes)
    std::memcpy(pending.data, data.data(), data.size());
  if (pending.old != nullptr) *pending.old = reply.old;
  if (!pending.local_told) pending.completion->local();
  if (reply.code == Code::ok) return pending.completion->remote({});
  pending.completion->remote(
      {reply.code, "rank " + std::to_string(pending.peer) + " could not carry out the operation", Died::operation});
}

bool Emulation::take(std::uint64_t token, Pending& pending) {
  std::lock_guard lock(mutex_);
  const auto found = pending_.find(token);
  if (found == pending_.end()) return false;
  pending = std::move(found->second);
  pending_.erase(found);
  return true;
}

template <class Match>
void Emulation::fail_matching(Match&& match, const Status& why) {
  std::vector<Pending> failed;
  {
    std::lock_guard lock(mutex_);
    for (auto at = pending_.begin(); at != pending_.end();) {
      if (!match(at->second)) {
        ++at;
        continue;
      }
      failed.push_back(std::move(at->second));
      at = pending_.erase(at);
    }
  }
  for (const Pending& pending : failed) {
    if (!pending.local_told) pending.completion->local();
    pending.completion->remote(why);
  }
}

void Emulation::fail_requests_to(Rank rank) {
  fail_matching([&](const Pending& pending) { return pending.peer == rank; }, engine_.peers.gone(rank));
}

void Emulation::fail_all() {
  fail_matching([](const Pending&) { return true; }, Status(Code::closed, "the runtime is closed", Died::runtime));
}

// ---- at the target ----

void Emulation::deliver(Rank source, device::HandlerId handler, std::span<const std::byte> message) {
  if (handler == kRequestHandler && message.size() >= sizeof(Request)) {
    Request request;
    std::memcpy(&request, message.data(), sizeof request);
    return serve(source, request, message.subspan(sizeof request));
  }
  if (handler == kReplyHandler && message.size() >= sizeof(Reply)) {
    Reply reply;
    std::memcpy(&reply, message.data(), sizeof reply);
    return finish(reply, message.subspan(sizeof reply));
  }
}

void Emulation::serve(Rank source, const Request& request, std::span<const std::byte> body) {
  Reply reply{.token = request.token};
  std::span<const std::byte> data;
  const std::lock_guard lock(serving_);  // also while `data`, which lies in the segment, is sent
  reply.code = carry_out(request, body, reply, data).code();
  send_reply(source, reply, reply.code == Code::ok ? data : std::span<const std::byte>());
}

// Word by word, because threads of this rank may be writing there; the reader finds out by itself whether they were.
std::span<const std::byte> Emulation::copy_of_root(std::uint64_t offset, std::size_t bytes) {
  const auto* root = reinterpret_cast<const std::byte*>(&engine_.segments.root()) + offset;
  root_copy_.resize(bytes);
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  for (std::size_t at = 0; at < bytes; at += kWord)
    util::copy(root_copy_.data() + at, root + at, std::min(kWord, bytes - at));
  return root_copy_;
}

// The initiator has checked against the segment that it knew; this one may be its successor.
Status Emulation::check_typed(const Request& request, const PeerSegment& segment) {
  std::size_t alignment = 1;
  if (request.kind == Request::Kind::atomic) alignment = request.width;
  if (request.kind == Request::Kind::accumulate) alignment = alignment_of(request.type);
  return segment.aligned(request.offset, alignment) ? Status() : Status(Code::invalid_alignment);
}

Status Emulation::carry_out(const Request& request, std::span<const std::byte> body, Reply& reply,
                            std::span<const std::byte>& data) {
  if (request.segment == kRootSegment) {
    if (request.kind != Request::Kind::get || request.offset > sizeof(Root) ||
        request.bytes > sizeof(Root) - request.offset)
      return Code::invalid_offset;
    data = copy_of_root(request.offset, request.bytes);
    return {};
  }
  auto found = engine_.peers.resolve(engine_.rank(), request.segment, Timeout::test());
  if (!found.ok()) return std::move(found).status();
  const PeerSegment& segment = **found;
  if (request.runs != 0) return carry_out_packed(request, segment, body, data);
  if (!segment.contains(request.offset, request.bytes)) return Code::invalid_offset;
  if (Status status = check_typed(request, segment); !status.ok()) return status;
  std::byte* place = segment.data + request.offset;
  switch (request.kind) {
    case Request::Kind::put: {
      util::copy(place, body.data(), body.size());
      return raise_requested(request);
    }
    case Request::Kind::get: data = {place, request.bytes}; return {};
    case Request::Kind::atomic:
      reply.old = atomic_direct(place, request.atomic, request.width, request.operand, request.compare);
      return {};
    case Request::Kind::accumulate: {
      const Accumulation how{request.reduction, request.type, request.scale};
      return accumulate_direct(engine_, segment, how, body.data(), request.offset, body.size(), Request::kLockPatience);
    }
  }
  return Code::unsupported;
}

Status Emulation::raise_requested(const Request& request) {
  if (request.has_flag == 0) return {};
  auto flagged = engine_.peers.resolve(engine_.rank(), request.flag.segment, Timeout::test());
  if (!flagged.ok()) return std::move(flagged).status();
  if (request.flag.id >= (*flagged)->notifications) return Code::invalid_notification;
  raise_flag(**flagged, request.flag);
  return {};
}

Status Emulation::try_reply(Rank peer, std::span<const std::byte> head, std::span<const std::byte> data) {
  auto connected = engine_.peers.connect(peer, Timeout::test());
  if (connected.ok()) return engine_.device->send(peer, kReplyHandler, head, data);
  return connected.status().timed_out() ? Status(Code::queue_full) : std::move(connected).status();
}

void Emulation::send_reply(Rank peer, const Reply& reply, std::span<const std::byte> data) {
  const auto head = bytes_of(reply);
  // Behind replies that wait already, so that a busy peer's share of the backlog does not starve. Who is gone wants no
  // answer.
  if (backlog_size_.load(std::memory_order_acquire) == 0 && try_reply(peer, head, data).code() != Code::queue_full)
    return;
  Unsent unsent{peer, {head.begin(), head.end()}};
  unsent.message.insert(unsent.message.end(), data.begin(), data.end());
  std::lock_guard lock(backlog_mutex_);
  backlog_.push_back(std::move(unsent));
  backlog_size_.store(backlog_.size(), std::memory_order_release);
}

int Emulation::flush_backlog() {
  if (backlog_size_.load(std::memory_order_acquire) == 0) return 0;
  std::lock_guard lock(backlog_mutex_);
  int sent = 0;
  std::deque<Unsent> rest;
  for (Unsent& unsent : backlog_) {
    if (try_reply(unsent.peer, unsent.message, {}).code() == Code::queue_full)
      rest.push_back(std::move(unsent));
    else
      ++sent;
  }
  backlog_ = std::move(rest);
  backlog_size_.store(backlog_.size(), std::memory_order_release);
  return sent;
}

}  // namespace polder::core
