#include "core/emulate/emulation.hpp"

#include "core/emulate/emulation_wire.hpp"
#include "core/engine/engine.hpp"

#include <cstring>
#include <string>
#include <utility>

namespace polder::core {

std::size_t Emulation::max_payload() const {
  return (engine_.device->capabilities().max_message - sizeof(Request)) / 64 * 64;
}

Status Emulation::put(Peer& peer, NamedSegment segment, const device::Piece& piece, const NamedFlag& flag,
                      device::Completion* completion) {
  Request request{.kind = Request::Kind::put,
                  .segment = segment.id,
                  .generation = segment.generation,
                  .offset = piece.remote,
                  .bytes = piece.bytes};
  request.carry(flag);
  return send_request(peer, request, {piece.local, piece.bytes}, {.completion = completion});
}

Status Emulation::get(Peer& peer, NamedSegment segment, const device::Piece& piece, device::Completion* completion) {
  Request request{.kind = Request::Kind::get,
                  .segment = segment.id,
                  .generation = segment.generation,
                  .offset = piece.remote,
                  .bytes = piece.bytes};
  return send_request(peer, request, {}, {.completion = completion, .data = piece.local, .bytes = piece.bytes});
}

Status Emulation::update(Peer& peer, NamedSegment segment, std::uint64_t offset, const Update& wanted,
                         std::uint64_t* old, device::Completion* completion) {
  Request request{.kind = Request::Kind::update,
                  .atomic = wanted.op,
                  .width = wanted.width,
                  .updates = wanted.kind,
                  .reduction = wanted.reduction,
                  .type = wanted.type,
                  .segment = segment.id,
                  .generation = segment.generation,
                  .offset = offset,
                  .bytes = wanted.width,
                  .operand = wanted.operand,
                  .compare = wanted.compare};
  return send_request(peer, request, {}, {.completion = completion, .old = old});
}

Status Emulation::accumulate(Peer& peer, NamedSegment segment, const device::Piece& piece, const Accumulation& how,
                             device::Completion* completion) {
  Request request{.kind = Request::Kind::accumulate,
                  .reduction = how.op,
                  .type = how.type,
                  .segment = segment.id,
                  .generation = segment.generation,
                  .offset = piece.remote,
                  .bytes = piece.bytes};
  if (how.scale != nullptr) std::memcpy(request.scale, how.scale, size_of(how.type));
  return send_request(peer, request, {piece.local, piece.bytes}, {.completion = completion});
}

Status Emulation::ask_for_segment(Peer& peer, SegmentId segment, std::byte* answer, device::Completion* completion) {
  static_assert(sizeof(SegmentEntry) <= Question::kLargestAnswer);
  Request request{.kind = Request::Kind::ask_for_segment, .segment = segment};
  return send_request(peer, request, {}, {.completion = completion, .data = answer, .bytes = sizeof(SegmentEntry)});
}

Status Emulation::ask_for_group(Peer& peer, std::uint64_t tag, std::byte* answer, device::Completion* completion) {
  Request request{.kind = Request::Kind::ask_for_group, .operand = tag};
  return send_request(peer, request, {}, {.completion = completion, .data = answer, .bytes = sizeof(FoundGroup)});
}

Status Emulation::revoke(Peer& peer, NamedSegment segment, device::Completion* completion) {
  Request request{.kind = Request::Kind::revoke, .segment = segment.id, .generation = segment.generation};
  return send_request(peer, request, {}, {.completion = completion});
}

Status Emulation::ask_to_end(Peer& peer, device::Completion* completion) {
  Request request{.kind = Request::Kind::end};
  return send_request(peer, request, {}, {.completion = completion});
}

Status Emulation::tell_of_death(Peer& peer, Rank dead) {
  const Request news{.kind = Request::Kind::death, .operand = dead};
  return engine_.device->send(peer.rank, kRequestHandler, bytes_of(news), {});
}

Status Emulation::tell_of_doubt(Peer& peer, Rank teller, Rank lost) {
  const Request news{.kind = Request::Kind::doubt, .operand = lost, .compare = teller};
  return engine_.device->send(peer.rank, kRequestHandler, bytes_of(news), {});
}

Status Emulation::tell_of_leaving(Peer& peer, Rank left, std::span<const std::byte> word) {
  const Request news{.kind = Request::Kind::leaving, .operand = left};
  return engine_.device->send(peer.rank, kRequestHandler, bytes_of(news), word);
}

Status Emulation::ask_for_life(Peer& peer, device::Completion* completion) {
  Request request{.kind = Request::Kind::life};
  return send_request(peer, request, {}, {.completion = completion});
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
  const bool reads = pending.data != nullptr || !pending.scatter.empty();
  const bool whole = !reads || data.size() == pending.bytes;
  const Code code = reply.code > Code::owner_died || (reply.code == Code::ok && !whole) ? Code::system : reply.code;
  if (code == Code::ok) {
    scatter(pending, data);
    if (pending.data != nullptr) std::memcpy(pending.data, data.data(), data.size());
    if (pending.old != nullptr) *pending.old = reply.old;
  }
  if (!pending.local_told) pending.completion->local();
  if (code == Code::ok) return pending.completion->remote({});
  pending.completion->remote(
      {code, "rank " + std::to_string(pending.peer) + " could not carry out the operation", Died::operation});
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

}  // namespace polder::core
