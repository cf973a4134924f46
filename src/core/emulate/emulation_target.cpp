// What a rank does for peers that cannot reach its memory themselves.
#include "core/direct/accumulate_direct.hpp"
#include "core/direct/notification.hpp"
#include "core/direct/update_direct.hpp"
#include "core/emulate/emulation.hpp"
#include "core/emulate/emulation_wire.hpp"
#include "core/engine/engine.hpp"
#include "util/copy.hpp"
#include "util/log.hpp"

#include <algorithm>
#include <cstring>

namespace polder::core {

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
  if (request.kind == Request::Kind::ask_for_group) return serve_group_question(source, request);
  if (request.kind == Request::Kind::revoke) return serve_revocation(source, request);
  if (request.kind == Request::Kind::end) return serve_end(source, request);
  if (request.kind == Request::Kind::death) return engine_.death_news.hear(Rank(request.operand));
  if (request.kind == Request::Kind::doubt) return engine_.doubts.hear(Rank(request.compare), Rank(request.operand));
  if (request.kind == Request::Kind::leaving) return engine_.departures.hear(Rank(request.operand), body);
  if (request.kind == Request::Kind::life) return send_reply(source, {.token = request.token}, {});
  Reply reply{.token = request.token};
  std::span<const std::byte> data;
  const std::lock_guard lock(serving_);  // also while `data`, which lies in the segment, is sent
  reply.code = carry_out(source, request, body, reply, data).code();
  send_reply(source, reply, reply.code == Code::ok ? data : std::span<const std::byte>());
}

// Numbers of a message are only numbers until they have been looked at: a peer may be of another release, or broken.
// Nothing is touched before. Of packed requests the lengths are checked with their runs.
Status Emulation::check_sense(const Request& request, std::span<const std::byte> body) const {
  const bool packed = request.runs != 0;
  switch (request.kind) {
    case Request::Kind::put: return packed || body.size() == request.bytes ? Status() : Code::invalid_size;
    case Request::Kind::get: return request.bytes <= max_payload() ? Status() : Code::invalid_size;
    case Request::Kind::update:
      if (packed || request.bytes != request.width) return Code::invalid_size;
      return check_update(request.update());
    case Request::Kind::accumulate:
      if (!is_defined(request.reduction, request.type)) return Code::invalid_argument;
      if (request.bytes % size_of(request.type) != 0) return Code::invalid_size;
      return packed || body.size() == request.bytes ? Status() : Code::invalid_size;
    case Request::Kind::ask_for_segment: return request.segment < kSegmentIdLimit ? Status() : Code::invalid_segment;
    default: return Code::unsupported;
  }
}

// The initiator has checked against the segment that it knew; this one may be its successor.
Status Emulation::check_typed(const Request& request, const PeerSegment& segment) {
  std::size_t alignment = 1;
  if (request.kind == Request::Kind::update) alignment = request.width;
  if (request.kind == Request::Kind::accumulate) alignment = alignment_of(request.type);
  return segment.aligned(request.offset, alignment) ? Status() : Status(Code::invalid_alignment);
}

// The segment that the initiator knew, or invalid_segment if there is another one under its id by now.
Result<const PeerSegment*> Emulation::find_own(SegmentId id, std::uint64_t generation) {
  auto found = engine_.peers.resolve(engine_.rank(), id, Timeout::test());
  if (found.ok() && (*found)->generation != generation) return Code::invalid_segment;
  return found;
}

Status Emulation::carry_out(Rank source, const Request& request, std::span<const std::byte> body, Reply& reply,
                            std::span<const std::byte>& data) {
  if (Status status = check_sense(request, body); !status.ok()) return status;
  if (request.kind == Request::Kind::ask_for_segment) {
    if (!engine_.segments.admit(source, request.segment, entry_)) return Code::invalid_segment;
    data = bytes_of(entry_);
    return {};
  }
  auto found = find_own(request.segment, request.generation);
  if (!found.ok()) return std::move(found).status();
  const PeerSegment& segment = **found;
  if (request.runs != 0) return carry_out_packed(request, segment, body, data);
  if (!segment.contains(request.offset, request.bytes)) return Code::invalid_offset;
  if (Status status = check_typed(request, segment); !status.ok()) return status;
  std::byte* place = segment.data + request.offset;
  switch (request.kind) {
    case Request::Kind::put: {
      const PeerSegment* flagged = nullptr;
      if (Status status = find_flagged(request, flagged); !status.ok()) return status;
      util::copy(place, body.data(), body.size());
      if (flagged != nullptr) raise_flag(*flagged, request.flag);
      return {};
    }
    case Request::Kind::get: data = {place, request.bytes}; return {};
    case Request::Kind::update: {
      auto old = update_direct(engine_, segment, request.offset, request.update(), Request::kLockPatience);
      if (old.ok()) reply.old = *old;
      return std::move(old).status();
    }
    case Request::Kind::accumulate: {
      const Accumulation how{request.reduction, request.type, request.scale};
      return accumulate_direct(engine_, segment, how, body.data(), request.offset, body.size(), Request::kLockPatience);
    }
    default: return Code::unsupported;
  }
}

// Before any data is written: a put whose flag cannot be raised changes nothing.
Status Emulation::find_flagged(const Request& request, const PeerSegment*& flagged) {
  if (request.has_flag == 0) return {};
  auto found = find_own(request.flag.segment, request.flag_generation);
  if (!found.ok()) return std::move(found).status();
  if (request.flag.id >= (*found)->notifications) return Code::invalid_notification;
  flagged = *found;
  return {};
}

// ---- questions whose answer may take its time ----

void Emulation::serve_group_question(Rank source, const Request& request) {
  const Asker asker{.peer = source, .token = request.token, .tag = request.operand, .segment = nullptr};
  std::lock_guard lock(askers_mutex_);
  if (answer_group_question(asker)) return;
  // A member asks anew after a while; its older question is forgotten there.
  std::erase_if(finders_, [&](const Asker& old) { return old.peer == source && old.tag == asker.tag; });
  finders_.push_back(asker);
}

bool Emulation::answer_group_question(const Asker& asker) {
  Root& root = engine_.segments.root();
  GroupSummary summary;
  if (!root.group_summary.read(summary)) return false;  // announced this instant: group_announced() follows
  for (std::uint32_t index = 0; index < summary.used; ++index) {
    GroupEntry entry;
    if (!root.groups[index].read(entry) || entry.tag != asker.tag) continue;
    auto memory = engine_.peers.resolve(engine_.rank(), Root::kFirstGroupSegment + index, Timeout::test());
    if (!memory.ok()) return false;  // it is about to be deleted
    const FoundGroup found{index, entry.nonce, (*memory)->generation};
    send_reply(asker.peer, {.token = asker.token}, bytes_of(found));
    return true;
  }
  return false;
}

void Emulation::group_announced(std::uint64_t tag) {
  std::lock_guard lock(askers_mutex_);
  std::erase_if(finders_, [&](const Asker& asker) { return asker.tag == tag && answer_group_question(asker); });
}

void Emulation::serve_revocation(Rank source, const Request& request) {
  const PeerSegment* in_use = nullptr;
  if (engine_.peers.revoke(source, request.segment, request.generation, in_use))
    return send_reply(source, {.token = request.token}, {});
  std::lock_guard lock(askers_mutex_);
  drains_.push_back({.peer = source, .token = request.token, .tag = 0, .segment = in_use});
  draining_.store(drains_.size(), std::memory_order_release);
}

// As if a rank of this node had asked: the launcher is told that this end is no failure of the job.
void Emulation::serve_end(Rank source, const Request& request) {
  util::log(util::LogLevel::info, "rank %u ends because rank %u asked for it", engine_.rank(), source);
  const Status status = engine_.bootstrap->kill(engine_.rank());
  if (!status.ok()) send_reply(source, {.token = request.token, .code = status.code()}, {});
}

int Emulation::answer_askers() {
  if (draining_.load(std::memory_order_acquire) == 0) return 0;
  std::lock_guard lock(askers_mutex_);
  const auto answered = std::erase_if(drains_, [&](const Asker& asker) {
    if (asker.segment->users.load(std::memory_order_seq_cst) != 0) return false;
    send_reply(asker.peer, {.token = asker.token}, {});
    return true;
  });
  draining_.store(drains_.size(), std::memory_order_release);
  return int(answered);
}

// ---- replies ----

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
  {
    std::lock_guard lock(backlog_mutex_);
    backlog_.push_back(std::move(unsent));
    backlog_size_.store(backlog_.size(), std::memory_order_release);
  }
  engine_.device->wake();  // the helper sends it; this need not be its thread
}

int Emulation::flush_backlog() {
  int sent = answer_askers();
  if (backlog_size_.load(std::memory_order_acquire) == 0) return sent;
  std::lock_guard lock(backlog_mutex_);
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
