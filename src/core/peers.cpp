#include "core/peers.hpp"

#include "core/awaited.hpp"
#include "core/engine.hpp"
#include "trace/span.hpp"

#include <cstddef>
#include <cstring>

namespace polder::core {
namespace {

std::string name(Rank rank) {
  return "rank " + std::to_string(rank);
}

}  // namespace

Peers::Peers(Engine& engine)
    : engine_(engine),
      size_(engine.size()),
      health_word_(engine.bootstrap->health_changes()),
      seen_(health_word_.load()),
      table_(engine.size()) {}

Peer& Peers::at(Rank rank) {
  return table_.find_or_insert(rank, [&] { return std::make_unique<Peer>(rank); });
}

const PeerSegment* Peers::find_in_tables(Rank rank, SegmentId id) const {
  if (attention() || rank >= size_ || id >= kSegmentIdLimit) return nullptr;
  const Peer* peer = table_.find(rank);
  if (peer == nullptr || peer->failed.load(std::memory_order_relaxed)) return nullptr;
  const SegmentSlot* slot = peer->segments.find(id);
  if (slot == nullptr) return nullptr;
  const PeerSegment* segment = slot->current.load(std::memory_order_acquire);
  if (segment == nullptr || !segment->live()) return nullptr;
  if (segment->control == nullptr || segment->data == nullptr) return segment;
  recent_.remember(*segment);
  // Who takes it out of the tables forgets it afterwards; had that happened in between, it would stay for good.
  if (peer->failed.load() || slot->current.load() != segment) recent_.forget(rank, id);
  return segment;
}

void Peers::forget_own(SegmentId id) {
  recent_.forget(engine_.rank(), id);
}

// ---- health ----

const bootstrap::Bootstrap& Peers::engine_bootstrap() const {
  return *engine_.bootstrap;
}

Health Peers::health(Rank rank) const {
  const Peer* peer = table_.find(rank);
  const Health health = engine_.bootstrap->health(rank);
  // A broken link is known here only.
  if (health == Health::healthy && peer != nullptr && peer->failed.load(std::memory_order_acquire))
    return Health::failed;
  return health;
}

Status Peers::gone(Rank rank) const {
  const char* how = health(rank) == Health::finished ? " has left the job" : " has failed or cannot be reached";
  return {Code::peer_failed, name(rank) + how, Died::peer};
}

Status Peers::check_open() {
  if (closed())
    return {Code::closed, "the runtime of rank " + std::to_string(engine_.rank()) + " is closed", Died::runtime};
  if (attention()) refresh();
  return {};
}

void Peers::refresh() {
  if (closed()) return;  // attention() stays true for good
  std::lock_guard lock(refreshing_);
  seen_.store(health_word_.load(std::memory_order_acquire), std::memory_order_relaxed);
  table_.for_each([&](std::size_t rank, Peer& peer) {
    if (rank != engine_.rank() && is_lost(peer)) mark_gone(peer);
  });
}

// A rank that left before we ever spoke may have left with an older runtime, and be about to join this one.
bool Peers::is_lost(const Peer& peer) const {
  // Looked at first: another thread may meet the rank, come back, after its health was read here.
  const bool met = peer.connected.load(std::memory_order_acquire);
  switch (engine_.bootstrap->health(peer.rank)) {
    case Health::healthy: return false;
    case Health::failed: return true;
    case Health::finished: return met || !engine_.bootstrap->may_return(peer.rank);
  }
  return true;
}

void Peers::mark_gone(Peer& peer) {
  if (peer.failed.exchange(true)) return;
  recent_.forget(peer.rank);
  trace::mark(engine_.recorder(), trace::Kind::peer_failed, {.peer = peer.rank});
  engine_.device->disconnect(peer.rank);
  engine_.emulation.fail_requests_to(peer.rank);
}

void Peers::link_failed(Rank rank, const Status&) {
  if (closed()) return;  // a device that ends still says which links it lost
  mark_gone(at(rank));
}

void Peers::close() {
  closed_.store(true, std::memory_order_release);
  seen_.store(health_word_.load() + 0x80000000u, std::memory_order_release);
}

// ---- connecting ----

Result<Peer*> Peers::connect(Rank rank, Timeout timeout) {
  if (Status status = check_open(); !status.ok()) return status;
  if (rank >= size_)
    return Status(Code::invalid_rank, name(rank) + " does not exist in a job of " + std::to_string(size_));
  Peer& peer = at(rank);
  if (peer.failed.load(std::memory_order_acquire)) return gone(rank);
  if (peer.connected.load(std::memory_order_acquire)) return &peer;
  if (health(rank) == Health::failed) return gone(rank);
  trace::Span span(engine_.recorder(), trace::Kind::connect, {.peer = rank});
  const util::Deadline deadline(timeout);
  std::lock_guard lock(peer.connecting);
  if (peer.connected.load(std::memory_order_acquire)) return &peer;
  if (Status status = attach_root(peer, deadline.remaining()); !status.ok()) return status;
  peer.connected.store(true, std::memory_order_release);
  return &peer;
}

Status Peers::attach_root(Peer& peer, Timeout timeout) {
  if (peer.rank == engine_.rank()) peer.root = &engine_.segments.root();
  auto blob = engine_.bootstrap->lookup(peer.rank, engine_.name(), timeout);
  if (!blob.ok()) return std::move(blob).status();
  device::Key key;
  if (blob->size() < sizeof key) return {Code::system, "the address of " + name(peer.rank) + " is damaged", Died::peer};
  std::memcpy(&key, blob->data(), sizeof key);
  const auto address = std::span(*blob).subspan(sizeof key);
  if (Status status = engine_.device->connect(peer.rank, address); !status.ok()) return status;
  if (peer.rank == engine_.rank()) return {};
  auto region = engine_.device->import(peer.rank, key, nullptr);
  if (!region.ok()) return std::move(region).status();
  peer.root_region = *region;
  if (region->direct == nullptr) return {};
  const auto* root = reinterpret_cast<const Root*>(region->direct);
  // A process number may have been given to a stranger since: only our own job's memory will do.
  if (root->magic != Root::kMagic || root->job != engine_.bootstrap->job().id) return gone(peer.rank);
  peer.root = root;
  return {};
}

// ---- segments ----

Result<const PeerSegment*> Peers::resolve(Rank rank, SegmentId id, Timeout timeout) {
  const util::Deadline deadline(timeout);
  auto connected = connect(rank, timeout);
  if (!connected.ok()) return std::move(connected).status();
  Peer& peer = **connected;
  const Status missing(Code::invalid_segment, name(rank) + " has no segment " + std::to_string(id));
  if (id >= kSegmentIdLimit) return missing;
  SegmentSlot& slot = peer.segments.find_or_insert(id, [] { return std::make_unique<SegmentSlot>(); });
  if (rank == engine_.rank()) {
    const PeerSegment* own = slot.current.load(std::memory_order_acquire);
    if (own == nullptr) return missing;
    return own;
  }
  auto entry = segment_entry(peer, id, deadline.remaining());
  while (true) {
    if (!entry.ok()) return std::move(entry).status();
    if (entry->generation == 0) return missing;
    auto segment = import(peer, id, slot, *entry);
    if (segment.ok() && (*segment)->live()) return segment;
    // Either it was deleted while we looked, and the table says so by now, or this is the last word.
    const std::uint64_t seen = entry->generation;
    entry = segment_entry(peer, id, deadline.remaining());
    if (entry.ok() && entry->generation == seen) return segment.ok() ? Result<const PeerSegment*>(missing) : segment;
  }
}

Result<const PeerSegment*> Peers::import(Peer& peer, SegmentId id, SegmentSlot& slot, const SegmentEntry& entry) {
  std::lock_guard lock(slot.changing);
  const PeerSegment* old = slot.current.load(std::memory_order_acquire);
  if (old != nullptr && old->generation >= entry.generation) return old;
  trace::Span span(engine_.recorder(), trace::Kind::segment_import, {.peer = peer.rank, .bytes = entry.size});
  auto control = engine_.device->import(peer.rank, entry.control_key, old == nullptr ? nullptr : &old->control_region);
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
  const PeerSegment* published = segment.get();
  slot.publish(std::move(segment));
  return published;
}

// ---- the root of a peer ----

template <class T>
Result<T> Peers::read_published(Peer& peer, const Published<T>* direct, std::uint64_t offset, Timeout timeout) {
  const util::Deadline deadline(timeout);
  T value;
  if (direct != nullptr) {
    while (!direct->read(value)) {
      if (peer.failed.load() || attention()) {
        refresh();
        if (peer.failed.load()) return gone(peer.rank);  // it died while it wrote
      }
      if (deadline.passed()) return Code::timeout;
      util::cpu_relax();
    }
    return value;
  }
  while (true) {
    alignas(8) std::byte copy[sizeof(Published<T>)];
    Status status = read_root(engine_, peer, offset, copy, deadline.remaining());
    if (!status.ok()) return status;
    if (reinterpret_cast<const Published<T>*>(copy)->read(value)) return value;
    if (deadline.passed()) return Code::timeout;
  }
}

Result<SegmentEntry> Peers::segment_entry(Peer& peer, SegmentId id, Timeout timeout) {
  return read_published<SegmentEntry>(peer, peer.root == nullptr ? nullptr : &peer.root->segments[id],
                                      offsetof(Root, segments) + id * sizeof(Published<SegmentEntry>), timeout);
}

Result<GroupSummary> Peers::group_summary(Peer& peer, Timeout timeout) {
  return read_published<GroupSummary>(peer, peer.root == nullptr ? nullptr : &peer.root->group_summary,
                                      offsetof(Root, group_summary), timeout);
}

Result<GroupEntry> Peers::group_entry(Peer& peer, std::uint32_t index, Timeout timeout) {
  return read_published<GroupEntry>(peer, peer.root == nullptr ? nullptr : &peer.root->groups[index],
                                    offsetof(Root, groups) + index * sizeof(Published<GroupEntry>), timeout);
}

}  // namespace polder::core
