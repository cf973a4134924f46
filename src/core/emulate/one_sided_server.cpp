#include "core/emulate/one_sided_server.hpp"

#include "core/direct/accumulate_direct.hpp"
#include "core/direct/notification.hpp"
#include "core/direct/update_direct.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segments.hpp"
#include "core/segment/segments.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace polder::core {
namespace {

// What the offset of a piece must be a multiple of.
std::size_t alignment_in(const OneSidedRequest& request) {
  if (request.kind == OneSidedKind::update) return request.head.width;
  return request.kind == OneSidedKind::accumulate ? alignment_of(request.how.type) : 1;
}

Status check_piece(const OneSidedRequest& request, const PeerSegment& segment, std::uint64_t offset,
                   std::uint64_t bytes) {
  if (!segment.contains(offset, bytes)) return Code::invalid_offset;
  return segment.aligned(offset, alignment_in(request)) ? Status() : Status(Code::invalid_alignment);
}

// Of a head that has been checked.
Notification flag_of(const OneSidedHead& head) {
  return {.id = head.flag_id, .value = head.flag_value, .op = NotificationOp(head.flag_op)};
}

}  // namespace

OneSidedServer::OneSidedServer(const Ports& ports) : ports_(ports) {
  ports_.progress.add(*this);
  ports_.requests.serve(number::kOneSided, [this](const Request& request) { serve(request); });
}

void OneSidedServer::serve(const Request& request) {
  const auto in_use = ports_.own.hold_memory();  // also while what is yielded, which lies in the segment, is sent
  Attempt attempt{.patience = kLockPatience};
  if (!is_held_up(request.caller.rank) && try_to_serve(request, attempt)) return;
  kept_.push_back({request.caller,
                   {request.message.begin(), request.message.end()},
                   attempt.combined,
                   util::Deadline(kLongestLock, ports_.progress.clock())});
  kept_count_.store(kept_.size(), std::memory_order_release);
}

// False: elements are locked, and the caller still waits for a reply.
bool OneSidedServer::try_to_serve(const Request& request, Attempt& attempt) {
  const std::uint64_t largest = ports_.outside.device->capabilities().max_message - sizeof(OneSidedHead);
  OneSidedRequest wanted;
  Status status = decode_one_sided(request.message, largest, wanted);
  if (status.ok()) status = carry_out(wanted, attempt);
  if (status.timed_out()) return false;
  ports_.requests.reply(request.caller, status.code(), attempt.yield);
  return true;
}

bool OneSidedServer::is_held_up(Rank caller) const {
  return std::any_of(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.caller.rank == caller; });
}

int OneSidedServer::attend() {
  if (kept_count_.load(std::memory_order_acquire) == 0) return 0;
  const auto in_use = ports_.own.hold_memory();
  int ended = 0;
  std::vector<Rank> held_up;
  std::deque<Kept> rest;
  for (Kept& kept : kept_) {
    const bool waits = std::find(held_up.begin(), held_up.end(), kept.caller.rank) != held_up.end();
    if (!waits && try_kept(kept)) {
      ++ended;
      continue;
    }
    held_up.push_back(kept.caller.rank);
    rest.push_back(std::move(kept));
  }
  kept_ = std::move(rest);
  kept_count_.store(kept_.size(), std::memory_order_release);
  return ended;
}

// True: it has been answered, at the latest kLongestLock after it came.
bool OneSidedServer::try_kept(Kept& kept) {
  Attempt attempt{.patience = Timeout::test(), .combined = kept.combined};
  if (try_to_serve({kept.caller, kept.message}, attempt)) return true;
  kept.combined = attempt.combined;
  if (!kept.deadline.passed()) return false;
  ports_.requests.reply(kept.caller, Code::timeout);
  return true;
}

// The initiator has checked against the segment that it knew; this one may be its successor.
Status OneSidedServer::carry_out(const OneSidedRequest& request, Attempt& attempt) {
  auto found = find_own(request.head.segment, request.head.generation);
  if (!found.ok()) return std::move(found).status();
  if (!request.runs.empty()) return carry_out_runs(request, **found, attempt);
  if (Status status = check_piece(request, **found, request.head.offset, request.head.bytes); !status.ok())
    return status;
  return carry_out_piece(request, **found, attempt);
}

// The segment that the initiator knew, or invalid_segment if there is another one under its id by now.
Result<const PeerSegment*> OneSidedServer::find_own(SegmentId id, std::uint64_t generation) {
  auto found = ports_.segments.resolve(ports_.outside.rank(), id, Timeout::test());
  if (found.ok() && (*found)->generation != generation) return Code::invalid_segment;
  return found;
}

Status OneSidedServer::carry_out_piece(const OneSidedRequest& request, const PeerSegment& segment, Attempt& attempt) {
  const OneSidedHead& head = request.head;
  std::byte* place = segment.data + head.offset;
  switch (request.kind) {
    case OneSidedKind::put: return put(request, segment);
    case OneSidedKind::get: attempt.yield = {place, std::size_t(head.bytes)}; return {};
    case OneSidedKind::update: {
      auto old = update_direct(ports_.outside, ports_.progress, segment, head.offset, request.update, attempt.patience);
      if (!old.ok()) return std::move(old).status();
      old_ = *old;
      attempt.yield = bytes_of(old_);
      return {};
    }
    case OneSidedKind::accumulate: {
      const Accumulation& how = request.how;
      DirectAccumulation combined(ports_.outside, ports_.progress, segment, accumulate_kernel(how.op, how.type),
                                  how.type, how.scale);
      const auto rest = request.data.subspan(std::size_t(attempt.combined));
      Status status = combined.add(rest.data(), head.offset + attempt.combined, rest.size(), attempt.patience);
      attempt.combined += combined.combined();
      return status;
    }
  }
  return Code::unsupported;
}

Status OneSidedServer::put(const OneSidedRequest& request, const PeerSegment& segment) {
  const PeerSegment* flagged = nullptr;
  if (Status status = find_flagged(request, flagged); !status.ok()) return status;
  util::copy(segment.data + request.head.offset, request.data.data(), request.data.size());
  if (flagged != nullptr) raise_flag(*flagged, flag_of(request.head));
  return {};
}

// Before any data is written: a put whose flag cannot be raised changes nothing.
Status OneSidedServer::find_flagged(const OneSidedRequest& request, const PeerSegment*& flagged) {
  const OneSidedHead& head = request.head;
  if (head.has_flag == 0) return {};
  auto found = find_own(SegmentId(head.flag_segment), head.flag_generation);
  if (!found.ok()) return std::move(found).status();
  if (head.flag_id >= (*found)->notifications) return Code::invalid_notification;
  flagged = *found;
  return {};
}

// All pieces are checked before the first is touched.
Status OneSidedServer::carry_out_runs(const OneSidedRequest& request, const PeerSegment& segment, Attempt& attempt) {
  Status status =
      for_each_packed(request.runs, [&](std::uint64_t remote, std::uint64_t bytes, std::uint64_t) -> Status {
        return check_piece(request, segment, remote, bytes);
      });
  if (!status.ok()) return status;
  const PeerSegment* flagged = nullptr;
  if (status = find_flagged(request, flagged); !status.ok()) return status;
  const bool is_get = request.kind == OneSidedKind::get;
  if (is_get) gathered_.resize(std::size_t(request.head.bytes));
  std::optional<DirectAccumulation> combined;  // keeps a lock from run to run
  if (request.kind == OneSidedKind::accumulate)
    combined.emplace(ports_.outside, ports_.progress, segment, accumulate_kernel(request.how.op, request.how.type),
                     request.how.type, request.how.scale);
  status = for_each_packed(request.runs, [&](std::uint64_t remote, std::uint64_t bytes, std::uint64_t at) -> Status {
    if (combined) {
      if (at + bytes <= attempt.combined) return {};
      const std::uint64_t done = attempt.combined > at ? attempt.combined - at : 0;
      return combined->add(request.data.data() + at + done, remote + done, std::size_t(bytes - done), attempt.patience);
    }
    if (is_get)
      util::copy(gathered_.data() + at, segment.data + remote, bytes);
    else
      util::copy(segment.data + remote, request.data.data() + at, bytes);
    return {};
  });
  if (combined) attempt.combined += combined->combined();
  if (!status.ok()) return status;
  if (is_get) attempt.yield = gathered_;
  if (flagged != nullptr) raise_flag(*flagged, flag_of(request.head));
  return {};
}

}  // namespace polder::core
