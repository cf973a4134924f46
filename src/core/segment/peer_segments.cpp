// Finding the segments of peers: by a look into the owner's table where it is mapped, else by asking the owner, who
// then tells us when a segment ends. See docs/design/memory.md.
#include "core/engine/engine.hpp"
#include "core/peers/peers.hpp"
#include "trace/span.hpp"
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

Result<const PeerSegment*> Peers::resolve(Rank rank, SegmentId id, Timeout timeout) {
  if (rank == engine_.rank()) return resolve_own(id);
  const util::Deadline deadline(timeout);
  auto connected = connect(rank, timeout);
  if (!connected.ok()) return std::move(connected).status();
  Peer& peer = **connected;
  if (id >= kSegmentIdLimit) return no_segment(rank, id);
  SegmentSlot& slot = slot_of(peer, id);
  const Timeout left = timeout.is_test() ? timeout : deadline.remaining();
  return peer.root != nullptr ? look_up(peer, slot, id, left) : inquire(peer, slot, id, left);
}

Result<const PeerSegment*> Peers::resolve_own(SegmentId id) {
  if (Status status = check_open(); !status.ok()) return status;
  const SegmentSlot* slot = id < kSegmentIdLimit ? at(engine_.rank()).segments.find(id) : nullptr;
  const PeerSegment* own = slot == nullptr ? nullptr : slot->current.load(std::memory_order_acquire);
  if (own == nullptr) return no_segment(engine_.rank(), id);
  return own;
}

SegmentSlot& Peers::slot_of(Peer& peer, SegmentId id) {
  return peer.segments.find_or_insert(id, [] { return std::make_unique<SegmentSlot>(); });
}

// ---- where the owner's table is mapped ----

Result<const PeerSegment*> Peers::look_up(Peer& peer, SegmentSlot& slot, SegmentId id, Timeout timeout) {
  const util::Deadline deadline(timeout);
  auto entry = read_published(peer, peer.root->segments[id], deadline.remaining());
  while (true) {
    if (!entry.ok()) return std::move(entry).status();
    if (entry->generation == 0) return no_segment(peer.rank, id);
    auto segment = import(peer, id, slot, *entry);
    if (segment.ok() && (*segment)->live()) return segment;
    // Either it was deleted while we looked, and the table says so by now, or this is the last word.
    const std::uint64_t seen = entry->generation;
    entry = read_published(peer, peer.root->segments[id], deadline.remaining());
    if (entry.ok() && entry->generation == seen)
      return segment.ok() ? Result<const PeerSegment*>(no_segment(peer.rank, id)) : segment;
  }
}

// ---- over a network ----

Result<const PeerSegment*> Peers::inquire(Peer& peer, SegmentSlot& slot, SegmentId id, Timeout timeout) {
  const util::Deadline deadline(timeout);
  while (true) {
    std::shared_ptr<Question> question;
    bool ours = false;
    if (const PeerSegment* known = slot.current.load(std::memory_order_acquire); known != nullptr && known->live())
      return known;
    const auto attempt = [&] { return join_question(peer, slot, id, question, ours); };
    const auto left = [&] { return timeout.is_test() ? timeout : deadline.remaining(); };
    Status status = engine_.post_until_accepted(peer, attempt, left());
    if (status.ok())
      status = engine_.wait([&] { return question->answered(); }, [&] { return engine_.trouble_with(peer); },
                            engine_.completions, left());
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
Status Peers::join_question(Peer& peer, SegmentSlot& slot, SegmentId id, std::shared_ptr<Question>& question,
                            bool& ours) {
  std::lock_guard lock(slot.changing);
  if (slot.asked == nullptr) {
    auto fresh = Question::make(engine_);
    Status status =
        fresh->ask(fresh, [&](Question& q) { return engine_.emulation.ask_for_segment(peer, id, q.answer(), &q); });
    if (!status.ok()) return status;
    slot.asked = std::move(fresh);
    ours = true;
  }
  question = slot.asked;
  return {};
}

// invalid_segment with a text: it did not exist; without: it ended before the answer was here, and there may be a
// successor.
Result<const PeerSegment*> Peers::take_answer(Peer& peer, SegmentSlot& slot, SegmentId id, Question& question) {
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

bool Peers::revoke(Rank owner, SegmentId id, std::uint64_t generation, const PeerSegment*& in_use) {
  if (id >= kSegmentIdLimit) return true;
  SegmentSlot& slot = slot_of(at(owner), id);
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

Result<const PeerSegment*> Peers::import(Peer& peer, SegmentId id, SegmentSlot& slot, const SegmentEntry& entry) {
  std::lock_guard lock(slot.changing);
  const PeerSegment* old = slot.current.load(std::memory_order_acquire);
  if (old != nullptr && old->generation >= entry.generation) return old;
  trace::Span span(engine_.recorder(), trace::Kind::segment_import, {.peer = peer.rank, .bytes = entry.size});
  // An operation that is still under way to the old one needs its region.
  const bool replace = old != nullptr && old->users.load(std::memory_order_acquire) == 0;
  auto control = engine_.device->import(peer.rank, entry.control_key, replace ? &old->control_region : nullptr);
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
    auto data = engine_.device->import(peer.rank, entry.data_key, nullptr);
    if (!data.ok()) return std::move(data).status();
    segment->data_region = *data;
  }
  if (segment->data_region.direct != nullptr) segment->data = segment->data_region.direct + entry.data_offset;
  segment->revoked.store(is_ended(slot, entry));
  const PeerSegment* published = segment.get();
  slot.publish(std::move(segment));
  return published;
}

}  // namespace polder::core
