// Across nodes a link may break while both of its ends live. Then one of them has to go: ranks that call each other
// healthy shall agree on everybody else, or no group of survivors could be made. The rules, and why:
// docs/design/faults.md.
//
//   1. Who loses a rank, and hears of no death, tells everybody it has links to: a doubt, (teller, rank). They pass it
//      on.
//   2. Who hears it and has a link to that rank waits a moment: a rank that is dead is soon lost here, too. Who has
//      none asks for a sign of life. Who gets no answer has lost it as well, and doubts in turn.
//   3. Who reaches both ends of a doubt gives one of them up: that of most doubts, or else the higher one. This is
//      told as certainly as a death, also to the one that was given up, which then is alone.
//   4. Of whom nobody has said so after a while, the teller says it: nobody whom it reaches reaches that rank.
//
// Costs nothing while all links hold. A doubt travels once over each link in each direction.
#pragma once

#include "core/message/question.hpp"
#include "core/peers/peer_watcher.hpp"
#include "core/progress/duty.hpp"
#include "util/mutex.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace polder::core {

class DeathNews;
class Peers;
class Progress;
class Requests;
struct Outside;

// Thread safe.
class Doubts final : public Duty, public PeerWatcher {
 public:
  // answer_ns: how long a rank without a link has for a sign of life.
  Doubts(Outside& outside, Progress& progress, Peers& peers, Requests& requests, DeathNews& news,
         std::int64_t answer_ns);

  void link_broke(Rank rank) override { note({own_rank_, rank}); }

  // Goes on with what is open; helpers call it at least every 50 ms or so. Returns how much it did. One load where
  // nothing is.
  int attend() override;

 private:
  struct Pair {
    Rank teller = 0;
    Rank rank = 0;
    bool operator<(const Pair& other) const { return std::pair(teller, rank) < std::pair(other.teller, other.rank); }
  };
  struct Doubt {
    Pair pair;
    std::int64_t due_ns = 0;
  };
  // A rank without a link, from which a sign of life is wanted.
  struct Call {
    Rank rank = 0;
    std::int64_t due_ns = 0;
    std::shared_ptr<Question> question = {};  // null: not asked yet
  };
  struct Message {
    Peer* to = nullptr;
    Pair pair;
  };

  void hear(std::span<const std::byte> message);
  Status tell(const Peer& peer, const Pair& pair);
  void note(Pair pair);
  void forget_all();
  void take_notes(std::int64_t now);
  void take(const Pair& pair, std::int64_t now);
  void tell_all(const Pair& pair);
  int send_messages();
  void call(Rank rank, std::int64_t now);
  void call_neighbours(Rank rank, std::int64_t now);
  void call_everybody_if_cut_off(std::int64_t now);
  int look_at_calls(std::int64_t now);
  bool ask(Call& call);
  void give_up_unanswered(Rank rank);
  int look_at_own(std::int64_t now);
  int decide(std::int64_t now);
  Rank most_doubted(const std::vector<Pair>& pairs) const;
  void expel(Rank rank);
  bool is_known_dead(Rank rank) const;
  bool is_reached(Rank rank) const;

  Outside& outside_;
  Progress& progress_;
  Peers& peers_;
  Requests& requests_;
  DeathNews& news_;
  const Rank own_rank_;
  const bool spans_nodes_;
  const std::int64_t answer_ns_;
  std::atomic<bool> open_{false};

  util::Mutex notes_mutex_;  // of what other threads leave here, maybe from inside a call that attend() makes
  std::vector<Pair> notes_;

  util::Mutex mutex_;  // of all that follows
  std::set<Pair> heard_;
  std::vector<Doubt> own_;     // told when due, later decided
  std::vector<Doubt> told_;    // own ones that everybody has heard of
  std::vector<Doubt> others_;  // decided when due
  std::vector<Call> calls_;
  std::vector<Message> unsent_;
};

}  // namespace polder::core
