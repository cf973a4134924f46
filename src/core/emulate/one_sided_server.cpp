#include "core/emulate/one_sided_server.hpp"

#include "core/direct/accumulate_direct.hpp"
#include "core/direct/notification.hpp"
#include "core/direct/update_direct.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segments.hpp"
#include "core/segment/segments.hpp"
#include "util/copy.hpp"

#include <optional>

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
  ports_.requests.serve(number::kOneSided, [this](const Request& request) { serve(request); });
}

void OneSidedServer::serve(const Request& request) {
  const std::uint64_t largest = ports_.outside.device->capabilities().max_message - sizeof(OneSidedHead);
  OneSidedRequest wanted;
  Status status = decode_one_sided(request.message, largest, wanted);
  Yield yield;
  const auto in_use = ports_.own.hold_memory();  // also while `yield`, which lies in the segment, is sent
  if (status.ok()) status = carry_out(wanted, yield);
  ports_.requests.reply(request.caller, status.code(), yield);
}

// The initiator has checked against the segment that it knew; this one may be its successor.
Status OneSidedServer::carry_out(const OneSidedRequest& request, Yield& yield) {
  auto found = find_own(request.head.segment, request.head.generation);
  if (!found.ok()) return std::move(found).status();
  if (!request.runs.empty()) return carry_out_runs(request, **found, yield);
  if (Status status = check_piece(request, **found, request.head.offset, request.head.bytes); !status.ok())
    return status;
  return carry_out_piece(request, **found, yield);
}

// The segment that the initiator knew, or invalid_segment if there is another one under its id by now.
Result<const PeerSegment*> OneSidedServer::find_own(SegmentId id, std::uint64_t generation) {
  auto found = ports_.segments.resolve(ports_.outside.rank(), id, Timeout::test());
  if (found.ok() && (*found)->generation != generation) return Code::invalid_segment;
  return found;
}

Status OneSidedServer::carry_out_piece(const OneSidedRequest& request, const PeerSegment& segment, Yield& yield) {
  const OneSidedHead& head = request.head;
  std::byte* place = segment.data + head.offset;
  switch (request.kind) {
    case OneSidedKind::put: return put(request, segment);
    case OneSidedKind::get: yield = {place, std::size_t(head.bytes)}; return {};
    case OneSidedKind::update: {
      auto old = update_direct(ports_.outside, ports_.progress, segment, head.offset, request.update, kLockPatience);
      if (!old.ok()) return std::move(old).status();
      old_ = *old;
      yield = bytes_of(old_);
      return {};
    }
    case OneSidedKind::accumulate: {
      const Accumulation& how = request.how;
      DirectAccumulation combined(ports_.outside, ports_.progress, segment, accumulate_kernel(how.op, how.type),
                                  how.type, how.scale);
      return combined.add(request.data.data(), head.offset, request.data.size(), kLockPatience);
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
Status OneSidedServer::carry_out_runs(const OneSidedRequest& request, const PeerSegment& segment, Yield& yield) {
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
    if (combined) return combined->add(request.data.data() + at, remote, bytes, kLockPatience);
    if (is_get)
      util::copy(gathered_.data() + at, segment.data + remote, bytes);
    else
      util::copy(segment.data + remote, request.data.data() + at, bytes);
    return {};
  });
  if (!status.ok()) return status;
  if (is_get) yield = gathered_;
  if (flagged != nullptr) raise_flag(*flagged, flag_of(request.head));
  return {};
}

}  // namespace polder::core
