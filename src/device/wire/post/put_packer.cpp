#include "device/wire/post/put_packer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace polder::device::wire {
namespace {

constexpr std::size_t kPackedAtPost = 8;  // parts of a large put that are copied as it is posted

}  // namespace

void PutPacker::pack(Parcel& parcel, const Region& region, std::span<const Piece> pieces, const FlagToRaise* flag,
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
                .foreign = memory_.is_foreign(piece.local, piece.bytes)};
      if (&piece == &pieces.back() && goes_with_parts(piece)) bulk.flag = std::exchange(own_frame, std::nullopt);
      if (bulk.foreign) pack_parts(parcel, bulk);
      if (bulk.bytes == 0) continue;
      parcel.add({.bulk = bulk});
      operation.begin_part();
    }
  }
  if (own_frame) parcel.frame_for(sizeof own_frame->payload).append(own_frame->record, payload_of(own_frame->payload));
  if (Waiting& end = parcel.back(); end.frame != nullptr)
    end.frame->append(&operation);
  else
    end.bulk.last = true;
}

FlagRecord PutPacker::record_of(const FlagToRaise& flag, const WireOperation& operation) {
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
bool PutPacker::goes_with_parts(const Piece& piece) const {
  return !state_.rma || piece.bytes < state_.rma_bytes;
}

// As much as should be on its way soon; the rest follows as the window opens.
void PutPacker::pack_parts(Parcel& parcel, Bulk& bulk) {
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

}  // namespace polder::device::wire
