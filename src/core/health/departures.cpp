#include "core/health/departures.hpp"

#include "core/engine/engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

namespace polder::core {
namespace {

constexpr Timeout kPatience = std::chrono::seconds(1);  // for room on a link, of a rank that leaves

std::span<const std::byte> bytes_of(const std::vector<GroupProgress>& groups) {
  return std::as_bytes(std::span(groups));
}

std::string record_of(const Engine& engine) {
  return "left/" + engine.name();
}

}  // namespace

// ---- of this rank ----

void Departures::note(const GroupProgress& deleted) {
  std::lock_guard lock(mutex_);
  std::erase_if(deleted_, [&](const GroupProgress& older) { return older.tag == deleted.tag; });
  deleted_.push_back(deleted);
  if (deleted_.size() > kMostDeleted) deleted_.pop_front();
}

void Departures::announce(std::vector<GroupProgress> groups) {
  {
    std::lock_guard lock(mutex_);
    for (const GroupProgress& each : deleted_)
      if (std::none_of(groups.begin(), groups.end(), [&](const auto& living) { return living.tag == each.tag; }))
        groups.push_back(each);
  }
  groups.resize(std::min(groups.size(), kMostGroups));
  // Whoever does not find it waits a little longer for a rank that has left.
  [[maybe_unused]] const Status published = engine_.bootstrap->publish_near(record_of(engine_), bytes_of(groups));
  if (!spans_nodes()) return;
  engine_.peers.for_each_met([&](Peer& peer) {
    const bool linked = peer.connected.load(std::memory_order_acquire) && !peer.failed.load();
    if (!linked || engine_.bootstrap->same_node(peer.rank)) return;
    [[maybe_unused]] const Status sent = engine_.post_until_accepted(
        peer, [&] { return engine_.emulation.tell_of_leaving(peer, engine_.rank(), bytes_of(groups)); }, kPatience);
  });
}

// ---- of others ----

bool Departures::spans_nodes() const {
  return engine_.bootstrap->job().local_size < engine_.size();
}

Departures::Word Departures::word(Rank rank, std::uint64_t tag, GroupProgress::Kind kind, std::uint64_t number) {
  std::lock_guard lock(mutex_);
  learn_from_record(rank);
  const auto known = words_.find(rank);
  if (known == words_.end()) return Word::unknown;
  for (const GroupProgress& group : known->second)
    if (group.tag == tag) return group.completed[kind] >= number ? Word::passed : Word::never;
  return Word::unknown;
}

// REQUIRES: mutex_ is held, here and in the next ones.
bool Departures::learn(Rank rank, std::span<const std::byte> word) {
  if (words_.contains(rank)) return false;
  std::vector<GroupProgress> groups(word.size() / sizeof(GroupProgress));
  if (!groups.empty()) std::memcpy(groups.data(), word.data(), groups.size() * sizeof(GroupProgress));
  words_.emplace(rank, std::move(groups));
  return true;
}

// One of its own node has no other way, and needs none: the record is older than the state.
void Departures::learn_from_record(Rank rank) {
  if (words_.contains(rank) || !engine_.bootstrap->same_node(rank) ||
      engine_.bootstrap->health(rank) != Health::finished)
    return;
  if (auto record = engine_.bootstrap->lookup(rank, record_of(engine_), Timeout::test()); record.ok())
    learn(rank, *record);
}

void Departures::pass_on(Rank rank) {
  const bool near = engine_.bootstrap->same_node(rank);
  engine_.peers.for_each_met([&](Peer& peer) {
    const bool linked = peer.connected.load(std::memory_order_acquire) && !peer.failed.load();
    // Ranks of the same node look it up.
    if (!linked || peer.rank == rank || peer.rank == engine_.rank() ||
        (near && engine_.bootstrap->same_node(peer.rank)))
      return;
    untold_.push_back({&peer, rank});
  });
  left_.store(untold_.size(), std::memory_order_release);
  if (!untold_.empty()) engine_.device->wake();  // the helper tells it
}

void Departures::look() {
  if (!spans_nodes()) return;
  std::lock_guard lock(mutex_);
  for (Rank rank = 0; rank < engine_.size(); ++rank) {
    if (rank == engine_.rank() || words_.contains(rank) || !engine_.bootstrap->same_node(rank)) continue;
    if (engine_.bootstrap->health(rank) != Health::finished || !engine_.peers.is_gone(rank)) continue;
    learn_from_record(rank);
    if (words_.contains(rank)) pass_on(rank);
  }
}

// Its word came before it, if it said one.
void Departures::heard_goodbye(Rank rank) {
  std::lock_guard lock(mutex_);
  if (!engine_.bootstrap->same_node(rank) && learn(rank, {})) pass_on(rank);
}

void Departures::hear(Rank rank, std::span<const std::byte> word) {
  if (rank >= engine_.size() || rank == engine_.rank() || engine_.bootstrap->same_node(rank)) return;
  {
    std::lock_guard lock(mutex_);
    if (!learn(rank, word)) return;
    pass_on(rank);
  }
  // Over a link of our own its goodbye comes behind all else that it sent: that is the moment to count it as gone.
  const Peer* peer = engine_.peers.met(rank);
  const bool linked = peer != nullptr && peer->connected.load(std::memory_order_acquire);
  if (!linked) engine_.peers.has_left(rank);
}

int Departures::tell() {
  if (left_.load(std::memory_order_acquire) == 0) return 0;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return 0;
  const auto told = std::erase_if(untold_, [&](const Item& item) {
    return item.peer->failed.load() ||
           engine_.emulation.tell_of_leaving(*item.peer, item.rank, bytes_of(words_[item.rank])).code() !=
               Code::queue_full;
  });
  left_.store(untold_.size(), std::memory_order_release);
  return int(told);
}

}  // namespace polder::core
