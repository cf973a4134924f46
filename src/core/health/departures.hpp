// What ranks say when they leave: how far they have come in the collectives of their groups.
//
// A member that has left in good order has either been through the barrier that this rank waits in, and then all have
// begun it and it will end; or it never comes, and waiting is in vain. Only its own word tells the two apart.
//
// A rank that leaves publishes its word as a record, for the ranks of its node, and sends it to those of other nodes
// that it has links to. Whoever hears of a rank of another node, or finds that one of its own node has left, passes it
// on: the word travels once over each link in each direction, and ranks without a link to the one that left hear of it,
// too.
#pragma once

#include "core/health/group_progress.hpp"
#include "core/peers/peer_watcher.hpp"
#include "core/progress/duty.hpp"
#include "util/mutex.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace polder::core {

class Peers;
class Progress;
class Requests;
struct Outside;

// Thread safe.
class Departures final : public Duty, public PeerWatcher {
 public:
  Departures(Outside& outside, Progress& progress, Peers& peers, Requests& requests);

  // ---- of this rank ----

  // A group of it is deleted; the latest are remembered.
  void note(const GroupProgress& deleted);
  // It leaves, with these groups. Once, after all that it posted has arrived.
  void announce(std::vector<GroupProgress> groups);

  // ---- of others ----

  using Word = DepartureWord;
  // Whether `rank`, which is gone, has been through this collective of the group.
  Word word(Rank rank, std::uint64_t tag, GroupProgress::Kind kind, std::uint64_t number);
  // The same of a collective of module coll. unknown also where it has begun it, and nobody knows how it ended.
  Word word(Rank rank, std::uint64_t tag, std::uint64_t collective);

  void health_changed() override;
  void has_left(Rank rank) override;
  // Sends what is left to be told. Returns how much. One load where that is nothing.
  int attend() override;

 private:
  static constexpr std::size_t kMostGroups = 100;  // in a word: so many fit a record
  static constexpr std::size_t kMostDeleted = 32;  // of them, deleted before
  struct Item {
    Peer* peer;
    Rank rank;
  };

  bool spans_nodes() const;
  const GroupProgress* find(Rank rank, std::uint64_t tag);  // REQUIRES: mutex_ held
  void receive(std::span<const std::byte> message);
  void hear(Rank rank, std::span<const std::byte> word);
  Status tell(const Peer& peer, Rank left, std::span<const std::byte> word);
  bool learn(Rank rank, std::span<const std::byte> word);  // REQUIRES: mutex_ held
  void learn_from_record(Rank rank);                       // likewise
  void pass_on(Rank rank);                                 // likewise

  Outside& outside_;
  Peers& peers_;
  Requests& requests_;
  util::Mutex mutex_;
  std::deque<GroupProgress> deleted_;
  std::map<Rank, std::vector<GroupProgress>> words_;  // of those that have left
  std::vector<Item> untold_;
  std::atomic<std::size_t> left_{0};
};

}  // namespace polder::core
