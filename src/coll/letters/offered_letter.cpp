#include "coll/letters/offered_letter.hpp"

#include "core/group/group_ports.hpp"
#include "core/segment/peer_segment.hpp"
#include "core/segment/peer_segments.hpp"
#include "util/copy.hpp"

#include <cstring>
#include <string>
#include <utility>

namespace polder::coll {
namespace {

// False: not yet, or there is trouble.
bool find_in_segment(LaneWireState& state, const In& in, const Rendezvous& where, const std::byte*& place) {
  const Rank writer = state.rank_of(in.from);
  core::PeerSegments& all = state.ground.ports().peer_segments;
  const core::PeerSegment* segment = all.find(writer, where.id);
  if (segment == nullptr) {
    auto resolved = all.resolve(writer, where.id, Timeout::test());
    if (!resolved.ok()) return state.accept(std::move(resolved).status(), state.read[in.slot].from);
    segment = *resolved;
  }
  if (segment->data != nullptr && segment->contains(where.at, in.bytes)) {
    place = segment->data + where.at;
    return true;
  }
  state.note({Code::invalid_size,
              std::string(to_string(state.call().kind)) + ": rank " + std::to_string(writer) +
                  " names memory of a segment that cannot be read, or is too short",
              Died::operation},
             writer);
  return false;
}

Status read_process(LaneWireState& state, const In& in, const core::PeerSegment& writer, std::uint64_t at) {
  iovec runs[ProcessReads::kPieces];
  std::size_t count = 0, listed = 0;
  Status status;
  const auto read = [&] {
    status = state.ground.process_reads().read(writer, at, {runs, count});
    at += std::exchange(listed, 0);
    count = 0;
    return status.ok();
  };
  const auto list = [&](std::byte* place, std::size_t bytes) {
    runs[count++] = {place, bytes};
    listed += bytes;
    return count < ProcessReads::kPieces || read();
  };
  if (in.pieces == nullptr)
    list(static_cast<std::byte*>(in.into), in.bytes);
  else
    in.pieces->each_run(in.begin, in.bytes, list);
  if (status.ok() && count != 0) read();
  return status;
}

}  // namespace

bool take_offered_letter(LaneWireState& state, In& in, Envelope& envelope) {
  if (state.is_patient() && state.may_lack_any() && state.is_out_of_reach(in.from)) return false;
  ReadSlot& traffic = state.read[in.slot];
  if (!state.reach(traffic.from, in.from)) return false;
  Rendezvous where;
  std::memcpy(&where, envelope.content, sizeof where);
  const std::byte* place = nullptr;
  if (where.kind == Rendezvous::segment && !find_in_segment(state, in, where, place)) return false;
  auto stage = RendezvousStage::offered;
  if (!envelope.stage.compare_exchange_strong(stage, RendezvousStage::reading, std::memory_order_acq_rel)) {
    state.note(state.ground.given_up_by(state.member(in.from)), state.rank_of(in.from));
    return false;
  }
  Status status;
  if (place != nullptr)
    in.copy_from(place, in.bytes, state.goes_past_cache(in) ? util::copy_block_past_cache : util::copy_block);
  else
    state.ways.measure(CopyWays::Step::once, in.bytes,
                       [&] { status = read_process(state, in, *traffic.from.segment, where.at); });
  envelope.stage.store(status.ok() ? RendezvousStage::taken : RendezvousStage::offered, std::memory_order_release);
  traffic.from.segment->control->bell.ring();
  const bool is_taken = status.ok();
  if (!is_taken) state.note(std::move(status), state.rank_of(in.from));
  return is_taken;
}

}  // namespace polder::coll
