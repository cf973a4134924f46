#include "device/sim/sim_device.hpp"

#include <cstring>
#include <string>
#include <utility>

namespace polder::device::sim {

namespace {

bool contains(const Region& region, std::uint64_t offset, std::uint64_t bytes) {
  return offset <= region.size && bytes <= region.size - offset;
}

}  // namespace

Status SimDevice::refuse(Code code, const char* operation, Rank peer, const char* why) const {
  return Status(code, "sim: " + std::string(operation) + " of rank " + std::to_string(rank_) + " to rank " +
                          std::to_string(peer) + ": " + why);
}

Status SimDevice::check_peer(Rank peer, const char* operation) const {
  return peer < fabric_->options().ranks ? Status()
                                         : refuse(Code::invalid_rank, operation, peer, "there is no such rank");
}

// Real devices need not look; this one is for finding mistakes.
Status SimDevice::check_transfer(InFlight::Kind kind, Rank peer, const Region& region,
                                 std::span<const Piece> pieces) const {
  const char* operation = to_string(kind);
  if (Status status = check_peer(peer, operation); !status.ok()) return status;
  if (pieces.empty()) return {};
  if (!region.put_get) return refuse(Code::unsupported, operation, peer, "the region is without put_get");
  for (const Piece& piece : pieces)
    if (!(kind != InFlight::Kind::get && is_in_window(piece.remote)) && !contains(region, piece.remote, piece.bytes))
      return refuse(Code::invalid_offset, operation, peer, "a piece lies outside the region");
  return {};
}

std::unique_ptr<InFlight> SimDevice::make_parcel(InFlight::Kind kind, Rank peer, const Region& region,
                                                 CompletionSink* completion) const {
  auto parcel = std::make_unique<InFlight>();
  parcel->kind = kind;
  parcel->source = rank_;
  parcel->target = peer;
  parcel->completion = completion;
  parcel->region = region.handle;
  return parcel;
}

// What is short is copied now, as capabilities_ promise; the rest is read when it arrives.
void SimDevice::take_pieces(InFlight& parcel, std::span<const Piece> pieces) const {
  parcel.pieces.assign(pieces.begin(), pieces.end());
  if (parcel.kind == InFlight::Kind::get) return;
  const auto is_copied = [this](const Piece& piece) { return piece.bytes <= capabilities_.copied_at_once; };
  std::size_t copied = 0;
  for (const Piece& piece : pieces) copied += is_copied(piece) ? piece.bytes : 0;
  parcel.bytes.resize(copied);
  std::byte* copy = parcel.bytes.data();
  for (Piece& piece : parcel.pieces) {
    if (!is_copied(piece) || piece.bytes == 0) continue;
    std::memcpy(copy, piece.local, piece.bytes);
    piece.local = std::exchange(copy, copy + piece.bytes);
  }
}

Status SimDevice::transfer(InFlight::Kind kind, Rank peer, const Region& region, std::span<const Piece> pieces,
                           CompletionSink* completion) {
  if (Status status = check_transfer(kind, peer, region, pieces); !status.ok()) return status;
  auto parcel = make_parcel(kind, peer, region, completion);
  take_pieces(*parcel, pieces);
  return fabric_->post(std::move(parcel));
}

Status SimDevice::put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) {
  return transfer(InFlight::Kind::put, peer, region, pieces, completion);
}

Status SimDevice::get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) {
  return transfer(InFlight::Kind::get, peer, region, pieces, completion);
}

Status SimDevice::put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                             const Flag& flag, CompletionSink* completion) {
  constexpr auto kKind = InFlight::Kind::put_notify;
  if (Status status = check_transfer(kKind, peer, region, pieces); !status.ok()) return status;
  if (!control.put_get)
    return refuse(Code::unsupported, to_string(kKind), peer, "the control region is without put_get");
  if (flag.offset % 4 != 0 || !contains(control, flag.offset, 4) ||
      !contains(control, flag.bell_offset, sizeof(util::Bell)))
    return refuse(Code::invalid_offset, to_string(kKind), peer, "the flag or its bell lies outside the control region");
  auto parcel = make_parcel(kKind, peer, region, completion);
  take_pieces(*parcel, pieces);
  parcel->control = control.handle;
  parcel->flag = flag;
  return fabric_->post(std::move(parcel));
}

Status SimDevice::atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion) {
  constexpr auto kKind = InFlight::Kind::atomic;
  if (Status status = check_peer(peer, to_string(kKind)); !status.ok()) return status;
  if (!region.atomics) return refuse(Code::unsupported, to_string(kKind), peer, "the region is without atomics");
  if (request.width != 4 && request.width != 8)
    return refuse(Code::invalid_size, to_string(kKind), peer, "the width is neither 4 nor 8 bytes");
  if (request.offset % request.width != 0)
    return refuse(Code::invalid_alignment, to_string(kKind), peer, "the offset is no multiple of the width");
  if (!contains(region, request.offset, request.width))
    return refuse(Code::invalid_offset, to_string(kKind), peer, "the word lies outside the region");
  auto parcel = make_parcel(kKind, peer, region, completion);
  parcel->request = request;
  return fabric_->post(std::move(parcel));
}

}  // namespace polder::device::sim
