#include "core/health/departures.hpp"

#include "core/health/health_messages.hpp"
#include "core/message/requests.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

namespace polder::core {
namespace {

constexpr Timeout kPatience = std::chrono::seconds(1);  // for room on a link, of a rank that leaves

std::span<const std::byte> bytes_in(const std::vector<GroupProgress>& groups) {
  return std::as_bytes(std::span(groups));
}

std::string record_of(const Outside& outside) {
  return "left/" + outside.name;
}

}  // namespace

Departures::Departures(Outside& outside, Progress& progress, Peers& peers, Requests& requests)
    : outside_(outside), peers_(peers), requests_(requests) {
  progress.add(*this);
  peers.add(*this);
  requests.serve(number::kLeaving, [this](const Request& request) { receive(request.message); });
}

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
  [[maybe_unused]] const Status published = outside_.bootstrap->publish_near(record_of(outside_), bytes_in(groups));
  if (!spans_nodes()) return;
  peers_.for_each_met([&](Peer& peer) {
    const bool linked = peer.connected.load(std::memory_order_acquire) && !peer.failed.load();
    if (!linked || outside_.bootstrap->same_node(peer.rank)) return;
    [[maybe_unused]] const Status sent = peers_.post_until_accepted(
        peer, [&] { return tell(peer, outside_.rank(), bytes_in(groups)); }, kPatience);
  });
}

// ---- of others ----

bool Departures::spans_nodes() const {
  return outside_.bootstrap->job().local_size < outside_.size();
}

Departures::Word Departures::word(Rank rank, std::uint64_t tag, GroupProgress::Kind kind, std::uint64_t number) {
  std::lock_guard lock(mutex_);
  const GroupProgress* const known = find(rank, tag);
  if (known == nullptr) return Word::unknown;
  return known->completed[kind] >= number ? Word::passed : Word::never;
}

Departures::Word Departures::word(Rank rank, std::uint64_t tag, std::uint64_t collective) {
  std::lock_guard lock(mutex_);
  const GroupProgress* const known = find(rank, tag);
  if (known == nullptr) return Word::unknown;
  if (known->completed[GroupProgress::begun] < collective) return Word::never;
  return known->completed[GroupProgress::ended] >= collective ? Word::passed : Word::unknown;
}

// Null: it has said nothing of that group.
const GroupProgress* Departures::find(Rank rank, std::uint64_t tag) {
  mutex_.assert_held();
  learn_from_record(rank);
  const auto known = words_.find(rank);
  if (known == words_.end()) return nullptr;
  for (const GroupProgress& group : known->second)
    if (group.tag == tag) return &group;
  return nullptr;
}

// REQUIRES: mutex_ is held, here and in the next ones.
bool Departures::learn(Rank rank, std::span<const std::byte> word) {
  mutex_.assert_held();
  if (words_.contains(rank)) return false;
  std::vector<GroupProgress> groups(word.size() / sizeof(GroupProgress));
  if (!groups.empty()) std::memcpy(groups.data(), word.data(), groups.size() * sizeof(GroupProgress));
  words_.emplace(rank, std::move(groups));
  return true;
}

// One of its own node has no other way, and needs none: the record is older than the state.
void Departures::learn_from_record(Rank rank) {
  mutex_.assert_held();
  if (words_.contains(rank) || !outside_.bootstrap->same_node(rank) ||
      outside_.bootstrap->health(rank) != Health::finished)
    return;
  if (auto record = outside_.bootstrap->lookup(rank, record_of(outside_), Timeout::test()); record.ok())
    learn(rank, *record);
}

void Departures::pass_on(Rank rank) {
  mutex_.assert_held();
  const bool near = outside_.bootstrap->same_node(rank);
  peers_.for_each_met([&](Peer& peer) {
    const bool linked = peer.connected.load(std::memory_order_acquire) && !peer.failed.load();
    // Ranks of the same node look it up.
    if (!linked || peer.rank == rank || peer.rank == outside_.rank() ||
        (near && outside_.bootstrap->same_node(peer.rank)))
      return;
    untold_.push_back({&peer, rank});
  });
  left_.store(untold_.size(), std::memory_order_release);
  if (!untold_.empty()) outside_.device->wake();  // the helper tells it
}

void Departures::health_changed() {
  if (!spans_nodes()) return;
  std::lock_guard lock(mutex_);
  for (Rank rank = 0; rank < outside_.size(); ++rank) {
    if (rank == outside_.rank() || words_.contains(rank) || !outside_.bootstrap->same_node(rank)) continue;
    if (outside_.bootstrap->health(rank) != Health::finished || !peers_.is_gone(rank)) continue;
    learn_from_record(rank);
    if (words_.contains(rank)) pass_on(rank);
  }
}

// Its word came before it, if it said one.
void Departures::has_left(Rank rank) {
  std::lock_guard lock(mutex_);
  if (!outside_.bootstrap->same_node(rank) && learn(rank, {})) pass_on(rank);
}

Status Departures::tell(const Peer& peer, Rank left, std::span<const std::byte> word) {
  LeavingMessage message;
  message.rank = left;
  return requests_.tell(peer, number::kLeaving, bytes_of(message), word);
}

// A peer says that some rank has left, with its word.
void Departures::receive(std::span<const std::byte> message) {
  LeavingMessage leaving;
  Decoder decoder(message);
  if (decoder.take(leaving) && decoder.rest().size() % sizeof(GroupProgress) == 0) hear(leaving.rank, decoder.rest());
}

void Departures::hear(Rank rank, std::span<const std::byte> word) {
  if (rank >= outside_.size() || rank == outside_.rank() || outside_.bootstrap->same_node(rank)) return;
  {
    std::lock_guard lock(mutex_);
    if (!learn(rank, word)) return;
    pass_on(rank);
  }
  // Over a link of our own its goodbye comes behind all else that it sent: that is the moment to count it as gone.
  const Peer* peer = peers_.met(rank);
  const bool linked = peer != nullptr && peer->connected.load(std::memory_order_acquire);
  if (!linked) peers_.has_left(rank);
}

int Departures::attend() {
  if (left_.load(std::memory_order_acquire) == 0) return 0;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return 0;
  const auto told = std::erase_if(untold_, [&](const Item& item) {
    return item.peer->failed.load() ||
           tell(*item.peer, item.rank, bytes_in(words_[item.rank])).code() != Code::queue_full;
  });
  left_.store(untold_.size(), std::memory_order_release);
  return int(told);
}

}  // namespace polder::core
