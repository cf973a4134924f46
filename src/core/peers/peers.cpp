#include "core/peers/peers.hpp"

#include "core/peers/peer.hpp"
#include "core/peers/peer_watcher.hpp"
#include "core/peers/root_layout.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "util/deadline.hpp"
#include "util/platform.hpp"

#include "trace/record/span.hpp"
#include "util/assert.hpp"
#include "util/mutex.hpp"

#include <cstring>

namespace polder::core {
namespace {

std::string rank_name(Rank rank) {
  return "rank " + std::to_string(rank);
}

}  // namespace

Peers::Peers(Outside& outside, Progress& progress)
    : outside_(outside), progress_(progress), size_(outside.size()), table_(outside.size()) {
  progress.on_attention([this] { refresh(); });
}

Peers::~Peers() = default;

Peer& Peers::at(Rank rank) {
  return table_.find_or_insert(rank, [&] { return std::make_unique<Peer>(rank); });
}

// ---- health ----

Health Peers::health(Rank rank) const {
  if (alone_.load(std::memory_order_acquire)) return rank == outside_.rank() ? Health::healthy : Health::failed;
  const Peer* peer = table_.find(rank);
  if (peer != nullptr && peer->left.load(std::memory_order_acquire)) return Health::finished;
  const Health health = outside_.bootstrap->health(rank);
  // A broken link is known here only.
  if (health == Health::healthy && peer != nullptr && peer->failed.load(std::memory_order_acquire))
    return Health::failed;
  return health;
}

Status Peers::gone(Rank rank) const {
  if (alone_.load(std::memory_order_acquire))
    return {
        Code::peer_failed,
        rank_name(outside_.rank()) + " was given up by the others of its job, because some of them could not reach it",
        Died::peer};
  const char* how = health(rank) == Health::finished ? " has left the job" : " has failed or cannot be reached";
  return {Code::peer_failed, rank_name(rank) + how, Died::peer};
}

bool Peers::is_gone(Rank rank) const {
  switch (health(rank)) {
    case Health::healthy: return false;
    case Health::failed: return true;
    case Health::finished: break;
  }
  const Peer* peer = table_.find(rank);
  const bool was_here = peer != nullptr && (peer->left.load() || peer->connected.load(std::memory_order_acquire));
  return was_here || !outside_.bootstrap->may_return(rank);
}

bool Peers::any_left() const {
  for (Rank rank = 0; rank < size_; ++rank)
    if (rank != outside_.rank() && !is_gone(rank)) return true;
  return false;
}

Status Peers::check_watched(const Watch& watch) const {
  const auto check = [&](Rank rank) -> Status {
    if (rank >= size_)
      return {Code::invalid_rank,
              rank_name(rank) + " is to be watched, and does not exist in a job of " + std::to_string(size_)};
    return rank != outside_.rank() && is_gone(rank) ? gone(rank) : Status();
  };
  if (watch.rank != Watch::kNobody)
    if (Status status = check(watch.rank); !status.ok()) return status;
  for (const Rank rank : watch.ranks)
    if (Status status = check(rank); !status.ok()) return status;
  if (watch.changes && *watch.changes != changes())
    return {Code::peer_failed, "the state of some rank has changed since the caller looked"};
  return {};
}

Status Peers::check_open() {
  if (progress_.closed())
    return {Code::closed, "the runtime of rank " + std::to_string(outside_.rank()) + " is closed", Died::runtime};
  if (progress_.attention()) refresh();
  return {};
}

void Peers::refresh() {
  if (progress_.closed()) return;  // attention() stays true for good
  std::lock_guard lock(refreshing_);
  progress_.note_attention();
  // Closed since that look: what close() stored is overwritten perhaps, and attention() is to be true for good. Either it
  // stores behind us or we see it, by a fence on each side.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (progress_.closed()) return progress_.close();
  // Somebody else of this node has heard it first.
  const bool given_up = outside_.bootstrap->health(outside_.rank()) == Health::failed;
  if (given_up && outside_.bootstrap->job().local_size < size_) alone_.store(true, std::memory_order_release);
  table_.for_each([&](std::size_t rank, Peer& peer) {
    if (rank != outside_.rank() && is_lost(peer)) mark_gone(peer);
  });
  for (PeerWatcher* watcher : watchers_) watcher->health_changed();
}

// A rank that left before we ever spoke may have left with an older runtime, and be about to join this one.
bool Peers::is_lost(const Peer& peer) const {
  if (alone_.load(std::memory_order_acquire)) return true;
  // Looked at first: another thread may meet the rank, come back, after its health was read here.
  const bool met = peer.connected.load(std::memory_order_acquire);
  switch (outside_.bootstrap->health(peer.rank)) {
    case Health::healthy: return false;
    case Health::failed: return true;
    case Health::finished: return met || !outside_.bootstrap->may_return(peer.rank);
  }
  return true;
}

void Peers::mark_gone(Peer& peer) {
  if (peer.failed.exchange(true)) return;
  for (PeerWatcher* watcher : watchers_) watcher->is_gone(peer);
  trace::mark(outside_.recorder(), trace::EventKind::peer_failed, {.peer = peer.rank});
  // In this order: an operation that is reported as failed writes nothing any more.
  outside_.device->disconnect(peer.rank);
  for (PeerWatcher* watcher : watchers_) watcher->is_cut_off(peer.rank);
}

void Peers::link_failed(Rank rank, const Status&) {
  if (progress_.closed()) return;  // a device that ends still says which links it lost
  mark_gone(at(rank));
  own_changes_.fetch_add(1, std::memory_order_acq_rel);
  for (PeerWatcher* watcher : watchers_) watcher->link_broke(rank);
}

// The page of this node says so as well: its other ranks shall agree.
void Peers::be_alone() {
  if (progress_.closed() || alone_.exchange(true)) return;
  outside_.bootstrap->report_failure(outside_.rank());
  refresh();
  progress_.completions().ring();
}

void Peers::has_left(Rank rank) {
  if (progress_.closed()) return;
  Peer& peer = at(rank);
  if (peer.left.exchange(true)) return;
  mark_gone(peer);
  own_changes_.fetch_add(1, std::memory_order_acq_rel);
  for (PeerWatcher* watcher : watchers_) watcher->has_left(rank);
  progress_.answers().ring();
}

Status Peers::trouble_with(const Peer& peer) const {
  if (progress_.closed()) return Code::closed;
  return peer.failed.load(std::memory_order_acquire) ? gone(peer.rank) : Status();
}

std::uint64_t Peers::changes() const {
  return progress_.changes() + own_changes_.load(std::memory_order_acquire);
}

Status Peers::read_again(const Peer& peer, util::FunctionRef<bool()> read, Timeout timeout) {
  const util::Deadline deadline(timeout, progress_.clock());
  while (!read()) {
    if (peer.failed.load() || progress_.attention()) {
      refresh();
      if (peer.failed.load()) return gone(peer.rank);  // it died while it wrote
    }
    if (deadline.passed()) return Code::timeout;
    util::cpu_relax();
  }
  return {};
}

Status Peers::post_in_the_end(Peer& peer, util::FunctionRef<Status()> attempt, Timeout timeout) {
  Status status;
  const auto describe = [&](bootstrap::LongWait& wait) {
    wait.say("for room in the network");
    wait.wait_for(peer.rank);
  };
  const Status waited = progress_.wait([&] { return (status = attempt()).code() != Code::queue_full; },
                                       [&] { return trouble_with(peer); }, progress_.completions(), timeout, describe);
  if (waited.timed_out()) return Code::queue_full;
  return waited.ok() ? status : waited;
}

// ---- connecting ----

Result<Peer*> Peers::connect(Rank rank, Timeout timeout) {
  if (Status status = check_open(); !status.ok()) return status;
  if (rank >= size_)
    return Status(Code::invalid_rank, rank_name(rank) + " does not exist in a job of " + std::to_string(size_));
  Peer& peer = at(rank);
  if (peer.failed.load(std::memory_order_acquire)) return gone(rank);
  if (peer.connected.load(std::memory_order_acquire)) return &peer;
  if (health(rank) == Health::failed) return gone(rank);
  std::int64_t never = 0;
  peer.sought_ns.compare_exchange_strong(never, progress_.clock().now_ns(), std::memory_order_relaxed);
  const util::Deadline deadline(timeout, progress_.clock());
  std::unique_lock lock(peer.connecting, std::defer_lock);
  if (Status status = take_turn(peer, lock, timeout); !status.ok()) return status;
  if (peer.connected.load(std::memory_order_acquire)) return &peer;
  Status status = attach_root(peer, deadline.remaining());
  if (status.ok()) note_connected(peer);
  lock.unlock();
  // Of an attempt in vain only those hear who want their turn: whoever waits for the peer itself would look again, and
  // ring again.
  if (status.ok())
    progress_.answers().ring();
  else if (peer.queueing.load(std::memory_order_acquire) != 0)
    progress_.completions().ring();
  if (!status.ok()) return status;
  return &peer;
}

// Another thread may be patient where this one is not.
Status Peers::take_turn(Peer& peer, std::unique_lock<util::Mutex>& lock, Timeout timeout) {
  const auto our_turn = [&] { return peer.connected.load(std::memory_order_acquire) || lock.try_lock(); };
  if (our_turn()) return {};
  if (timeout.is_test()) return Code::timeout;  // and no progress: the caller may be in the middle of it
  peer.queueing.fetch_add(1, std::memory_order_acq_rel);
  Status status = progress_.wait(
      our_turn, [&] { return trouble_with(peer); }, progress_.completions(), timeout,
      [&](bootstrap::LongWait& wait) {
        wait.say("for a connection");
        wait.wait_for(peer.rank);
      });
  [[maybe_unused]] const auto before = peer.queueing.fetch_sub(1, std::memory_order_acq_rel);
  POLDER_ASSERT(before > 0);
  return status;
}

// One event, however often a rank that was late has been tried.
void Peers::note_connected(Peer& peer) {
  peer.connected.store(true, std::memory_order_release);
  if (outside_.recorder() == nullptr) return;
  outside_.recorder()->record_past(trace::EventKind::connect, peer.sought_ns.load(), progress_.clock().now_ns(),
                                   {.peer = peer.rank});
}

Status Peers::attach_root(Peer& peer, Timeout timeout) {
  if (peer.rank == outside_.rank()) peer.root = own_root_;
  auto blob = outside_.bootstrap->lookup(peer.rank, outside_.name, timeout);
  if (!blob.ok()) return std::move(blob).status();
  device::Key key;
  if (blob->size() < sizeof key)
    return {Code::system, "the address of " + rank_name(peer.rank) + " is damaged", Died::peer};
  std::memcpy(&key, blob->data(), sizeof key);
  const auto address = std::span(*blob).subspan(sizeof key);
  if (Status status = outside_.device->connect(peer.rank, address); !status.ok()) return status;
  if (peer.rank == outside_.rank()) return {};
  auto region = outside_.device->import(peer.rank, key, nullptr);
  if (!region.ok()) return std::move(region).status();
  if (region->direct == nullptr) return {};
  const auto* root = reinterpret_cast<const Root*>(region->direct);
  // A process number may have been given to a stranger since: only our own job's memory will do.
  if (root->magic != Root::kMagic || root->job != outside_.bootstrap->job().id) return gone(peer.rank);
  peer.root = root;
  return {};
}

}  // namespace polder::core
