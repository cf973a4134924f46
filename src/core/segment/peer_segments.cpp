// Finding the segments of peers: by a look into the owner's table where it is mapped, else by asking the owner, who
// then tells us when a segment ends. See docs/design/memory.md.
#include "core/segment/peer_segments.hpp"

#include "core/message/requests.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/root_layout.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "core/segment/segment_slot.hpp"

#include "core/message/question.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/segment_messages.hpp"
#include "trace/record/span.hpp"
#include "util/deadline.hpp"

#include <algorithm>
#include <cstring>

namespace polder::core {
namespace {

Status no_segment(Rank rank, SegmentId id) {
  return {Code::invalid_segment, "rank " + std::to_string(rank) + " has no segment " + std::to_string(id)};
}

bool is_ended(const SegmentSlot& slot, const SegmentEntry& entry) {
  return entry.generation <= slot.revoked;
}

}  // namespace

PeerSegments::PeerSegments(Outside& outside, Progress& progress, Peers& peers, Requests& requests)
    : outside_(outside),
      progress_(progress),
      peers_(peers),
      requests_(requests),
      own_rank_(outside.rank()),
      size_(outside.size()),
      table_(outside.size()) {
  peers.add(*this);
}

PeerSegments::~PeerSegments() = default;

// ---- finding what is known ----

const PeerSegment* PeerSegments::find(Rank rank, SegmentId id) const {
  const PeerSegment* segment = recent(rank, id);
  return segment != nullptr && !progress_.attention() ? segment : find_in_tables(rank, id);
}

const PeerSegment* PeerSegments::find_in_tables(Rank rank, SegmentId id) const {
  if (progress_.attention() || rank >= size_ || id >= kSegmentIdLimit) return nullptr;
  const Peer* peer = peers_.met(rank);
  if (peer == nullptr || peer->failed.load(std::memory_order_relaxed)) return nullptr;
  const SegmentSlot* slot = slot_if_any(rank, id);
  if (slot == nullptr) return nullptr;
  const PeerSegment* segment = slot->current.load(std::memory_order_acquire);
  if (segment == nullptr || !segment->live()) return nullptr;
  if (segment->control == nullptr || segment->data == nullptr) return segment;
  recent_.remember(*segment);
  // Whoever takes it out of the tables forgets it afterwards; had that happened in between, it would stay for good.
  if (peer->failed.load() || slot->current.load() != segment) recent_.forget(rank, id);
  return segment;
}

SegmentSlot* PeerSegments::slot_if_any(Rank rank, SegmentId id) const {
  const Slots* slots = table_.find(rank);
  return slots == nullptr ? nullptr : slots->find(id);
}

SegmentSlot& PeerSegments::slot_of(Rank rank, SegmentId id) {
  Slots& slots = table_.find_or_insert(rank, [] { return std::make_unique<Slots>(kSegmentIdLimit); });
  return slots.find_or_insert(id, [] { return std::make_unique<SegmentSlot>(); });
}

void PeerSegments::is_gone(Peer& peer) {
  recent_.forget(peer.rank);
}

// ---- own ones ----

void PeerSegments::add_own(std::unique_ptr<PeerSegment> segment) {
  peers_.at(own_rank_);  // is known from now on
  const SegmentId id = segment->id;
  slot_of(own_rank_, id).publish(std::move(segment));
}

void PeerSegments::forget_own(SegmentId id) {
  SegmentSlot* const slot = slot_if_any(own_rank_, id);
  const PeerSegment* const own = slot == nullptr ? nullptr : slot->current.exchange(nullptr);
  recent_.forget(own_rank_, id);
  if (own != nullptr) own->revoked.store(true, std::memory_order_seq_cst);
}

// ---- finding what is not ----

Result<const PeerSegment*> PeerSegments::resolve(Rank rank, SegmentId id, Timeout timeout) {
  if (rank == own_rank_) return resolve_own(id);
  const util::Deadline deadline(timeout, progress_.clock());
  auto connected = peers_.connect(rank, timeout);
  if (!connected.ok()) return std::move(connected).status();
  Peer& peer = **connected;
  if (id >= kSegmentIdLimit) return no_segment(rank, id);
  SegmentSlot& slot = slot_of(rank, id);
  const Timeout left = deadline.remaining();
  return peer.root != nullptr ? look_up(peer, slot, id, left) : inquire(peer, slot, id, left);
}

Result<const PeerSegment*> PeerSegments::resolve_own(SegmentId id) {
  if (Status status = peers_.check_open(); !status.ok()) return status;
  const SegmentSlot* slot = id < kSegmentIdLimit ? slot_if_any(own_rank_, id) : nullptr;
  const PeerSegment* own = slot == nullptr ? nullptr : slot->current.load(std::memory_order_acquire);
  if (own == nullptr) return no_segment(own_rank_, id);
  return own;
}

Result<const PeerSegment*> PeerSegments::enter_own(SegmentId id) {
  auto own = resolve_own(id);
  if (!own.ok()) return own;
  if (!(*own)->enter()) return no_segment(own_rank_, id);
  (void)find_in_tables(own_rank_, id);  // the next one finds it at once
  return own;
}

// ---- where the owner's table is mapped ----

Result<const PeerSegment*> PeerSegments::look_up(Peer& peer, SegmentSlot& slot, SegmentId id, Timeout timeout) {
  const util::Deadline deadline(timeout, progress_.clock());
  auto entry = peers_.read_published(peer, peer.root->segments[id], deadline.remaining());
  while (true) {
    if (!entry.ok()) return std::move(entry).status();
    if (entry->generation == 0) return no_segment(peer.rank, id);
    auto segment = import(peer, id, slot, *entry);
    if (segment.ok() && (*segment)->live()) return segment;
    // Either it was deleted while we looked, and the table says so by now, or this is the last word.
    const std::uint64_t seen = entry->generation;
    entry = peers_.read_published(peer, peer.root->segments[id], deadline.remaining());
    if (entry.ok() && entry->generation == seen)
      return segment.ok() ? Result<const PeerSegment*>(no_segment(peer.rank, id)) : segment;
  }
}

// ---- over a network ----

Hazards& PeerSegments::hazards_of(Rank rank, SegmentId id) {
  return slot_of(rank, id).hazards;
}

Result<const PeerSegment*> PeerSegments::inquire(Peer& peer, SegmentSlot& slot, SegmentId id, Timeout timeout) {
  const util::Deadline deadline(timeout, progress_.clock());
  while (true) {
    std::shared_ptr<Question> question;
    bool ours = false;
    if (const PeerSegment* known = slot.current.load(std::memory_order_acquire); known != nullptr && known->live())
      return known;
    const auto attempt = [&] { return join_question(peer, slot, id, question, ours); };
    Status status = peers_.post_until_accepted(peer, attempt, deadline.remaining());
    if (status.ok())
      status = wait_for(
          progress_, [&] { return question->answered(); }, [&] { return peers_.trouble_with(peer); },
          deadline.remaining(),
          [&](bootstrap::LongWait& wait) {
            wait.say("for the address of segment " + std::to_string(id));
            wait.wait_for(peer.rank);
          });
    if (!status.ok()) return status.code() == Code::queue_full ? Status(Code::timeout) : status;
    auto segment = take_answer(peer, slot, id, *question);
    if (segment.ok()) return segment;
    // What an older question found missing may have come since.
    const bool again =
        segment.status().code() == Code::invalid_segment && (!ours || segment.status().message().empty());
    if (!again) return segment;
  }
}

// The question under way, or a new one: `ours`.
Status PeerSegments::join_question(Peer& peer, SegmentSlot& slot, SegmentId id, std::shared_ptr<Question>& question,
                                   bool& ours) {
  std::lock_guard lock(slot.changing);
  if (slot.asked == nullptr) {
    auto fresh = Question::make(progress_);
    Status status = fresh->ask(fresh, [&](Question& q) { return ask(peer, id, q); });
    if (!status.ok()) return status;
    slot.asked = std::move(fresh);
    ours = true;
  }
  question = slot.asked;
  return {};
}

Status PeerSegments::ask(Peer& peer, SegmentId id, Question& question) {
  static_assert(sizeof(SegmentEntry) <= Question::kLargestAnswer);
  FindSegment request;
  request.segment = id;
  return requests_.call(peer, number::kFindSegment, request, {},
                        {.completion = &question, .data = question.answer(), .bytes = sizeof(SegmentEntry)});
}

// invalid_segment with a text: it did not exist; without: it ended before the answer was here, and there may be a
// successor.
Result<const PeerSegment*> PeerSegments::take_answer(Peer& peer, SegmentSlot& slot, SegmentId id, Question& question) {
  SegmentEntry entry;
  {
    std::lock_guard lock(slot.changing);
    if (slot.asked.get() == &question) slot.asked = nullptr;
    if (question.status().code() == Code::invalid_segment) return no_segment(peer.rank, id);
    if (!question.status().ok()) return question.status();
    std::memcpy(&entry, question.answer(), sizeof entry);
    if (is_ended(slot, entry)) return Code::invalid_segment;
  }
  auto segment = import(peer, id, slot, entry);
  if (segment.ok() && !(*segment)->live()) return Code::invalid_segment;
  return segment;
}

bool PeerSegments::revoke(Rank owner, SegmentId id, std::uint64_t generation, const PeerSegment*& in_use) {
  if (id >= kSegmentIdLimit) return true;
  SegmentSlot& slot = slot_of(owner, id);
  std::lock_guard lock(slot.changing);
  slot.revoked = std::max(slot.revoked, generation);
  const auto version = std::find_if(slot.versions.rbegin(), slot.versions.rend(),
                                    [&](const auto& known) { return known->generation == generation; });
  if (version == slot.versions.rend()) return true;
  (*version)->revoked.store(true, std::memory_order_seq_cst);
  in_use = version->get();
  return in_use->users.load(std::memory_order_seq_cst) == 0;
}

// ---- both ----

Result<const PeerSegment*> PeerSegments::import(Peer& peer, SegmentId id, SegmentSlot& slot,
                                                const SegmentEntry& entry) {
  std::lock_guard lock(slot.changing);
  const PeerSegment* old = slot.current.load(std::memory_order_acquire);
  if (old != nullptr && old->generation >= entry.generation) return old;
  trace::Span span(outside_.recorder(), trace::EventKind::segment_import, {.peer = peer.rank, .bytes = entry.size});
  // An operation that is still under way to the old one needs its regions.
  const bool replace = old != nullptr && old->users.load(std::memory_order_acquire) == 0;
  const bool two_regions = replace && old->data_region.handle != old->control_region.handle;
  const device::Region* const place = slot.spare ? &*slot.spare : replace ? &old->control_region : nullptr;
  auto control = outside_.device->import(peer.rank, entry.control_key, place);
  if (!control.ok()) return std::move(control).status();
  auto segment = std::make_unique<PeerSegment>();
  segment->rank = peer.rank;
  segment->id = id;
  segment->generation = entry.generation;
  segment->size = entry.size;
  segment->notifications = entry.notifications;
  segment->misalignment = entry.misalignment;
  segment->control_region = *control;
  segment->data_offset = entry.data_offset;
  if (control->direct != nullptr) segment->control = reinterpret_cast<SegmentControl*>(control->direct);
  if (entry.data_is_control != 0) {
    segment->data_region = *control;
  } else {
    auto data = outside_.device->import(peer.rank, entry.data_key, two_regions ? &old->data_region : nullptr);
    if (!data.ok()) {
      slot.spare = *control;
      return std::move(data).status();
    }
    segment->data_region = *data;
  }
  slot.spare.reset();
  if (segment->data_region.direct != nullptr) segment->data = segment->data_region.direct + entry.data_offset;
  segment->revoked.store(is_ended(slot, entry));
  const PeerSegment* published = segment.get();
  slot.publish(std::move(segment));
  return published;
}

}  // namespace polder::core
