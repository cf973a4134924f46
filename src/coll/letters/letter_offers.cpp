#include "coll/letters/letter_offers.hpp"

#include "core/group/group_ports.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segment.hpp"
#include "core/segment/segments.hpp"
#include "util/outside_order.hpp"
#include "util/thread.hpp"

#include <bit>
#include <cstring>
#include <utility>

namespace polder::coll {

std::optional<Rendezvous> LetterOffers::place_of_long(const WrittenSlot& traffic, const Out& out) {
  if (traffic.to.segment->data == nullptr || !state_.failure().ok()) return {};
  const std::byte* const place = out.whole();
  if (place == nullptr) return {};
  if (const auto in_segment = state_.ground.ports().segments.holding(place, out.bytes))
    return Rendezvous{Rendezvous::segment, in_segment->segment, in_segment->offset};
  if (!state_.ways.may_be_once() || !state_.ground.process_reads().are_possible() ||
      !state_.ways.next_is_once({out.bytes, Room::kCells * Cells::kContent}))
    return {};
  return Rendezvous{Rendezvous::process, 0, std::bit_cast<std::uintptr_t>(place)};
}

bool LetterOffers::offer(WrittenSlot& traffic, Out& out, const Rendezvous& where) {
  const core::PeerSegment& reader = *traffic.to.segment;
  if (!reader.live()) return state_.accept(Code::invalid_segment, traffic.to);
  Envelope& there = state_.envelope(reader.data, state_.first + out.slot, traffic.sent % Room::kCells);
  there.head = CellHead{state_.call(), out.bytes, CellHead::kRendezvous, 0};
  std::memcpy(there.content, &where, sizeof where);
  there.stage.store(RendezvousStage::offered, std::memory_order_relaxed);
  util::tell_outside();
  there.word.store(state_.word(traffic.sent), std::memory_order_release);
  reader.control->bell.ring();
  ++traffic.sent;
  out.rendezvous = &there.stage;
  offers_.push_back({&there.stage, &reader});
  return false;  // it has not been taken
}

// What its reader's memory last held can be read as long as this member has the group.
bool LetterOffers::has_been_taken(Out& out) {
  if (out.rendezvous->load(std::memory_order_acquire) != RendezvousStage::taken) return false;
  std::erase_if(offers_, [&](const Offered& offered) { return offered.stage == out.rendezvous; });
  out.done = out.bytes;
  return out.ended = true;
}

void LetterOffers::withdraw() {
  constexpr std::int64_t kLongest = 2'000'000'000;  // ns
  const util::Clock clock = state_.ground.ports().progress.clock();
  const std::int64_t end = clock.now_ns() + kLongest;
  for (const Offered& offered : std::exchange(offers_, {})) {
    const auto is_read_still = [&] {
      if (!offered.reader->live()) return false;
      auto stage = RendezvousStage::offered;
      return !offered.stage->compare_exchange_strong(stage, RendezvousStage::withdrawn, std::memory_order_acq_rel) &&
             stage == RendezvousStage::reading &&
             state_.ground.ports().peers.health(offered.reader->rank) == Health::healthy;
    };
    while (is_read_still() && clock.now_ns() < end) util::yield_core();
  }
}

}  // namespace polder::coll
