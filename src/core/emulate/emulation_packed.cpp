// Requests of many pieces.
#include "core/direct/accumulate_direct.hpp"
#include "core/direct/notification.hpp"
#include "core/emulate/emulation_wire.hpp"
#include "core/emulate/packing.hpp"
#include "core/engine/engine.hpp"
#include "util/copy.hpp"

#include <cstring>
#include <optional>

namespace polder::core {

// ---- at the initiator ----

Status Emulation::put_packed(Peer& peer, NamedSegment segment, const Packed& packed, const NamedFlag& flag,
                             device::Completion* completion) {
  Request request{.kind = Request::Kind::put,
                  .segment = segment.id,
                  .generation = segment.generation,
                  .runs = packed.runs,
                  .bytes = packed.bytes};
  request.carry(flag);
  return send_request(peer, request, packed.body, {.completion = completion});
}

Status Emulation::get_packed(Peer& peer, NamedSegment segment, const Packed& packed,
                             std::span<const device::Piece> scatter, device::Completion* completion) {
  Request request{.kind = Request::Kind::get,
                  .segment = segment.id,
                  .generation = segment.generation,
                  .runs = packed.runs,
                  .bytes = packed.bytes};
  Pending pending{.completion = completion, .bytes = packed.bytes};
  pending.scatter.assign(scatter.begin(), scatter.end());
  return send_request(peer, request, packed.body, std::move(pending));
}

Status Emulation::accumulate_packed(Peer& peer, NamedSegment segment, const Packed& packed, const Accumulation& how,
                                    device::Completion* completion) {
  Request request{.kind = Request::Kind::accumulate,
                  .reduction = how.op,
                  .type = how.type,
                  .segment = segment.id,
                  .generation = segment.generation,
                  .runs = packed.runs,
                  .bytes = packed.bytes};
  if (how.scale != nullptr) std::memcpy(request.scale, how.scale, size_of(how.type));
  return send_request(peer, request, packed.body, {.completion = completion});
}

void Emulation::scatter(const Pending& pending, std::span<const std::byte> data) {
  if (pending.scatter.empty() || data.size() != pending.bytes) return;
  for (const device::Piece& piece : pending.scatter) {
    std::memcpy(piece.local, data.data(), piece.bytes);
    data = data.subspan(piece.bytes);
  }
}

// ---- at the target ----

Status Emulation::check_packed(const Request& request, const PeerSegment& segment, std::span<const std::byte> runs) {
  const std::size_t element = request.kind == Request::Kind::accumulate ? size_of(request.type) : 1;
  const std::size_t alignment = request.kind == Request::Kind::accumulate ? alignment_of(request.type) : 1;
  std::uint64_t total = 0;
  Status status = for_each_packed(runs, [&](std::uint64_t remote, std::uint64_t bytes, std::uint64_t) -> Status {
    total += bytes;
    if (!segment.contains(remote, bytes)) return Code::invalid_offset;
    return bytes % element == 0 && segment.aligned(remote, alignment) ? Status() : Status(Code::invalid_alignment);
  });
  return status.ok() && total != request.bytes ? Status(Code::invalid_size) : status;
}

Status Emulation::carry_out_packed(const Request& request, const PeerSegment& segment, std::span<const std::byte> body,
                                   std::span<const std::byte>& data) {
  const std::size_t run_bytes = std::size_t{request.runs} * sizeof(PackedRun);
  if (run_bytes > body.size()) return Code::invalid_size;
  const auto runs = body.last(run_bytes);
  const auto source = body.first(body.size() - run_bytes);
  if (Status status = check_packed(request, segment, runs); !status.ok()) return status;
  const bool brings_data = request.kind != Request::Kind::get;
  if (brings_data && source.size() != request.bytes) return Code::invalid_size;
  const PeerSegment* flagged = nullptr;
  if (Status status = find_flagged(request, flagged); !status.ok()) return status;
  if (!brings_data) gathered_.resize(request.bytes);
  std::optional<DirectAccumulation> combined;  // keeps a lock from run to run
  if (request.kind == Request::Kind::accumulate)
    combined.emplace(engine_, segment, accumulate_kernel(request.reduction, request.type), request.type, request.scale);
  Status status = for_each_packed(runs, [&](std::uint64_t remote, std::uint64_t bytes, std::uint64_t at) -> Status {
    switch (request.kind) {
      case Request::Kind::put: util::copy(segment.data + remote, source.data() + at, bytes); return {};
      case Request::Kind::get: util::copy(gathered_.data() + at, segment.data + remote, bytes); return {};
      case Request::Kind::accumulate: return combined->add(source.data() + at, remote, bytes, Request::kLockPatience);
      default: return Code::unsupported;
    }
  });
  if (!status.ok()) return status;
  if (!brings_data) data = gathered_;
  if (flagged != nullptr) raise_flag(*flagged, request.flag);
  return {};
}

}  // namespace polder::core
