// How a LaneWire sends long letters between ranks of one machine without cells: the writer says where they lie, and waits until the
// reader has copied them from there.
//
// The stage of a rendezvous, in the reader's envelope, belongs to both: the writer withdraws what is only offered, and waits for a
// copy that is under way, so that nobody reads its memory once its call has ended.
#include "coll/drive/lane_wire.hpp"

#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segment.hpp"
#include "core/segment/peer_segments.hpp"
#include "core/segment/segments.hpp"
#include "util/copy.hpp"
#include "util/outside_order.hpp"
#include "util/thread.hpp"

#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace polder::coll {

// ---- the writer ----

// Nothing: it is to go through cells.
std::optional<Rendezvous> LaneWire::rendezvous_for(const Traffic& traffic, const Out& out) {
  if (!out.may_wait || out.bytes < CopyWays::kLeast || traffic.to.segment->data == nullptr || !failure_.ok()) return {};
  const std::byte* const place = out.whole();
  if (place == nullptr) return {};
  if (const auto in_segment = ground_.ports().segments.holding(place, out.bytes))
    return Rendezvous{Rendezvous::segment, in_segment->segment, in_segment->offset};
  if (!ways_.may_be_once() || !ground_.process_reads().are_possible() ||
      !ways_.next_is_once({out.bytes, Room::kCells * kContent}))
    return {};
  return Rendezvous{Rendezvous::process, 0, std::bit_cast<std::uintptr_t>(place)};
}

bool LaneWire::offer(Traffic& traffic, Out& out, const Rendezvous& where) {
  const core::PeerSegment& reader = *traffic.to.segment;
  if (!reader.live()) return accept(Code::invalid_segment, traffic.to);
  Envelope& there = envelope(reader.data, first_ + out.slot, traffic.sent % Room::kCells);
  there.head = CellHead{call_, out.bytes, CellHead::kRendezvous, 0};
  std::memcpy(there.content, &where, sizeof where);
  there.stage.store(RendezvousStage::offered, std::memory_order_relaxed);
  util::tell_outside();
  there.word.store(word(traffic.sent), std::memory_order_release);
  reader.control->bell.ring();
  ++traffic.sent;
  out.rendezvous = &there.stage;
  offers_.push_back({&there.stage, &reader});
  return false;  // it has not been taken
}

// What its reader's memory last held can be read as long as this member has the group.
bool LaneWire::has_been_taken(Out& out) {
  if (out.rendezvous->load(std::memory_order_acquire) != RendezvousStage::taken) return false;
  std::erase_if(offers_, [&](const Offered& offered) { return offered.stage == out.rendezvous; });
  out.done = out.bytes;
  return out.ended = true;
}

void LaneWire::withdraw_all() {
  constexpr std::int64_t kLongest = 2'000'000'000;  // ns
  const util::Clock clock = ground_.ports().progress.clock();
  const std::int64_t end = clock.now_ns() + kLongest;
  for (const Offered& offered : std::exchange(offers_, {})) {
    const auto is_read_still = [&] {
      if (!offered.reader->live()) return false;
      auto stage = RendezvousStage::offered;
      return !offered.stage->compare_exchange_strong(stage, RendezvousStage::withdrawn, std::memory_order_acq_rel) &&
             stage == RendezvousStage::reading && ground_.ports().peers.health(offered.reader->rank) == Health::healthy;
    };
    while (is_read_still() && clock.now_ns() < end) util::yield_core();
  }
}

// ---- the reader ----

bool LaneWire::take_in_place(In& in, Traffic& traffic, Envelope& envelope) {
  if (patient_ && may_lack_any() && is_out_of_reach(in.from)) return false;
  if (!reach(traffic.from, in.from)) return false;
  Rendezvous where;
  std::memcpy(&where, envelope.content, sizeof where);
  const std::byte* place = nullptr;
  if (where.kind == Rendezvous::segment && !find_in_segment(in, where, place)) return false;
  auto stage = RendezvousStage::offered;
  if (!envelope.stage.compare_exchange_strong(stage, RendezvousStage::reading, std::memory_order_acq_rel)) {
    note(ground_.given_up_by(member(in.from)), ground_.rank_of(member(in.from)));
    return false;
  }
  Status status;
  if (place != nullptr)
    in.copy_from(place, in.bytes, goes_past_cache(in) ? util::copy_block_past_cache : util::copy_block);
  else
    ways_.measure(CopyWays::Step::once, in.bytes, [&] { status = read_process(in, *traffic.from.segment, where.at); });
  envelope.stage.store(status.ok() ? RendezvousStage::taken : RendezvousStage::offered, std::memory_order_release);
  traffic.from.segment->control->bell.ring();
  const bool is_taken = status.ok();
  if (!is_taken) note(std::move(status), ground_.rank_of(member(in.from)));
  return is_taken;
}

// False: not yet, or there is trouble.
bool LaneWire::find_in_segment(const In& in, const Rendezvous& where, const std::byte*& place) {
  const Rank writer = ground_.rank_of(member(in.from));
  core::PeerSegments& all = ground_.ports().peer_segments;
  const core::PeerSegment* segment = all.find(writer, where.id);
  if (segment == nullptr) {
    auto resolved = all.resolve(writer, where.id, Timeout::test());
    if (!resolved.ok()) return accept(std::move(resolved).status(), traffic_[in.slot].from);
    segment = *resolved;
  }
  if (segment->data != nullptr && segment->contains(where.at, in.bytes)) {
    place = segment->data + where.at;
    return true;
  }
  note({Code::invalid_size,
        std::string(to_string(call_.kind)) + ": rank " + std::to_string(writer) +
            " names memory of a segment that cannot be read, or is too short",
        Died::operation},
       writer);
  return false;
}

Status LaneWire::read_process(const In& in, const core::PeerSegment& writer, std::uint64_t at) {
  iovec runs[ProcessReads::kPieces];
  std::size_t count = 0, listed = 0;
  Status status;
  const auto read = [&] {
    status = ground_.process_reads().read(writer, at, {runs, count});
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

}  // namespace polder::coll
