#include "core/health/doubts.hpp"

#include "core/health/death_news.hpp"
#include "core/health/health_messages.hpp"
#include "core/message/requests.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "trace/record/span.hpp"
#include "util/log.hpp"

#include <algorithm>
#include <map>

namespace polder::core {
namespace {

// With the time after which a link counts as broken, and how far its two ends may be apart in that, this makes ten
// seconds.
constexpr std::int64_t kGrace_ns = 200'000'000;             // the node of a rank that died may say so
constexpr std::int64_t kSettle_ns = 1'000'000'000;          // until a link that is broken, too, is seen to be
constexpr Timeout kLookUp = std::chrono::milliseconds(20);  // of an address, at a time: the thread has other duties

}  // namespace

Doubts::Doubts(Outside& outside, Progress& progress, Peers& peers, Requests& requests, DeathNews& news,
               std::int64_t answer_ns)
    : outside_(outside),
      progress_(progress),
      peers_(peers),
      requests_(requests),
      news_(news),
      own_rank_(outside.rank()),
      spans_nodes_(outside.bootstrap->job().local_size < outside.size()),
      answer_ns_(answer_ns) {
  progress.add(*this);
  peers.add(*this);
  requests.serve(number::kDoubt, [this](const Request& request) { hear(request.message); });
  requests.serve(number::kLife, [this](const Request& request) { requests_.reply(request.caller, Code::ok); });
}

// A peer says that another one has lost a third.
void Doubts::hear(std::span<const std::byte> message) {
  DoubtMessage doubt;
  Decoder decoder(message);
  if (decoder.take(doubt) && decoder.done()) note({doubt.teller, doubt.rank});
}

Status Doubts::tell(const Peer& peer, const Pair& pair) {
  DoubtMessage doubt;
  doubt.teller = pair.teller;
  doubt.rank = pair.rank;
  return requests_.tell(peer, number::kDoubt, bytes_of(doubt));
}

void Doubts::note(Pair pair) {
  if (!spans_nodes_ || pair.rank >= outside_.size() || pair.teller >= outside_.size()) return;
  if (pair.teller == own_rank_ && outside_.bootstrap->same_node(pair.rank)) return;  // the node knows better
  // Nobody is woken for it: it has time until a helper looks again, and the device, whose news this may be, may be
  // about to end.
  std::lock_guard lock(notes_mutex_);
  notes_.push_back(pair);
  open_.store(true, std::memory_order_release);
}

int Doubts::attend() {
  if (!open_.load(std::memory_order_acquire)) return 0;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return 0;
  const std::int64_t now = progress_.clock().now_ns();
  take_notes(now);
  if (peers_.alone()) return forget_all(), 0;
  const int done = send_messages() + look_at_calls(now) + look_at_own(now) + decide(now);
  std::lock_guard notes_lock(notes_mutex_);
  const bool all_done = own_.empty() && told_.empty() && others_.empty() && calls_.empty() && unsent_.empty();
  if (all_done && notes_.empty()) open_.store(false, std::memory_order_release);
  return done;
}

void Doubts::forget_all() {
  own_.clear();
  told_.clear();
  others_.clear();
  calls_.clear();
  unsent_.clear();
  open_.store(false, std::memory_order_release);
}

void Doubts::take_notes(std::int64_t now) {
  std::vector<Pair> notes;
  {
    std::lock_guard lock(notes_mutex_);
    notes.swap(notes_);
  }
  for (const Pair& pair : notes) take(pair, now);
}

void Doubts::take(const Pair& pair, std::int64_t now) {
  if (!heard_.insert(pair).second || is_known_dead(pair.rank) || is_known_dead(pair.teller)) return;
  if (pair.teller == own_rank_) {
    trace::mark(outside_.recorder(), trace::EventKind::peer_doubted, {.peer = pair.rank});
    own_.push_back({pair, now + kGrace_ns});
    return;
  }
  tell_all(pair);
  // What works in one direction only is of no use.
  if (pair.rank == own_rank_) return peers_.link_failed(pair.teller, {});
  others_.push_back({pair, now + kSettle_ns});
  call(pair.rank, now);
  call(pair.teller, now);
  call_neighbours(pair.rank, now);  // not only once this one is given up: that would be another round of patience
}

// ---- telling ----

void Doubts::tell_all(const Pair& pair) {
  peers_.for_each_met([&](Peer& peer) {
    if (peer.connected.load(std::memory_order_acquire) && peer.rank != own_rank_ && peer.rank != pair.teller)
      unsent_.push_back({&peer, pair});
  });
}

int Doubts::send_messages() {
  return int(std::erase_if(unsent_, [&](const Message& message) {
    return message.to->failed.load() || tell(*message.to, message.pair).code() != Code::queue_full;
  }));
}

// ---- signs of life ----

void Doubts::call(Rank rank, std::int64_t now) {
  const Peer* peer = peers_.met(rank);
  const bool linked = peer != nullptr && peer->connected.load(std::memory_order_acquire);
  const auto same = [&](const Call& other) { return other.rank == rank; };
  if (linked || rank == own_rank_ || outside_.bootstrap->same_node(rank) || is_known_dead(rank)) return;
  if (std::none_of(calls_.begin(), calls_.end(), same)) calls_.push_back({rank, now + answer_ns_});
}

// Where a host is cut off, all its ranks are.
void Doubts::call_neighbours(Rank rank, std::int64_t now) {
  const auto node = outside_.bootstrap->first_beside(rank);
  if (!node) return;
  for (Rank other = *node; other < outside_.size(); ++other)
    if (other != rank && outside_.bootstrap->first_beside(other) == node) call(other, now);
}

// Who has lost all its links is cut off itself: from the others, too.
void Doubts::call_everybody_if_cut_off(std::int64_t now) {
  bool some = false;
  peers_.for_each_met([&](const Peer& peer) {
    some = some || (peer.connected.load() && !peer.failed.load() && !outside_.bootstrap->same_node(peer.rank));
  });
  for (Rank rank = 0; rank < outside_.size() && !some; ++rank) call(rank, now);
}

int Doubts::look_at_calls(std::int64_t now) {
  std::vector<Rank> unanswered;
  const auto ended = std::erase_if(calls_, [&](Call& call) {
    if (is_known_dead(call.rank) || !ask(call)) return true;
    if (call.question != nullptr && call.question->answered() && call.question->status().ok()) return true;
    const bool failed = call.question != nullptr && call.question->answered();
    if (!failed && now < call.due_ns) return false;
    unanswered.push_back(call.rank);
    return true;
  });
  for (const Rank rank : unanswered) give_up_unanswered(rank);
  return int(ended);
}

// False: no way to that rank, and the link has been counted as broken.
bool Doubts::ask(Call& call) {
  if (call.question != nullptr) return true;
  auto peer = peers_.connect(call.rank, kLookUp);
  if (!peer.ok() && peer.status().timed_out()) return true;
  if (peer.ok()) {
    auto question = Question::make(progress_);
    RequestHead life;
    const Status asked = question->ask(
        question, [&](Question& q) { return requests_.call(**peer, number::kLife, life, {}, {.completion = &q}); });
    if (asked.ok()) call.question = std::move(question);
    if (asked.ok() || asked.code() == Code::queue_full) return true;
  }
  give_up_unanswered(call.rank);
  return false;
}

void Doubts::give_up_unanswered(Rank rank) {
  peers_.link_failed(rank, {});
}

// ---- verdicts ----

int Doubts::look_at_own(std::int64_t now) {
  int done = 0;
  for (const Doubt& doubt : own_) {
    if (doubt.due_ns > now || is_known_dead(doubt.pair.rank)) continue;
    tell_all(doubt.pair);
    call_neighbours(doubt.pair.rank, now);
    call_everybody_if_cut_off(now);
    told_.push_back({doubt.pair, now + answer_ns_ + kSettle_ns});
    ++done;
  }
  std::erase_if(own_, [&](const Doubt& doubt) { return doubt.due_ns <= now || is_known_dead(doubt.pair.rank); });
  std::erase_if(told_, [&](const Doubt& doubt) {
    if (doubt.due_ns > now && !is_known_dead(doubt.pair.rank)) return false;
    if (!is_known_dead(doubt.pair.rank)) expel(doubt.pair.rank);
    return true;
  });
  return done;
}

int Doubts::decide(std::int64_t now) {
  const auto is_due = [&](const Doubt& doubt) { return doubt.due_ns <= now; };
  if (std::none_of(others_.begin(), others_.end(), is_due)) return 0;
  const auto is_called = [&](Rank rank) {
    return std::any_of(calls_.begin(), calls_.end(), [&](const Call& call) { return call.rank == rank; });
  };
  std::erase_if(others_, [&](const Doubt& doubt) {
    return is_due(doubt) && !is_called(doubt.pair.rank) && !is_called(doubt.pair.teller) &&
           !(is_reached(doubt.pair.rank) && is_reached(doubt.pair.teller));
  });
  std::vector<Pair> broken;  // also what is not due yet: it counts
  for (const Doubt& doubt : others_)
    if (is_reached(doubt.pair.rank) && is_reached(doubt.pair.teller) && !is_called(doubt.pair.rank) &&
        !is_called(doubt.pair.teller))
      broken.push_back(doubt.pair);
  if (broken.empty()) return 0;
  expel(most_doubted(broken));
  return 1;
}

Rank Doubts::most_doubted(const std::vector<Pair>& pairs) const {
  std::map<Rank, std::set<Rank>> doubted;  // each rank with those that it does not reach
  for (const Pair& pair : pairs) {
    doubted[pair.teller].insert(pair.rank);
    doubted[pair.rank].insert(pair.teller);
  }
  Rank most = 0;
  std::size_t count = 0;
  for (const auto& [rank, others] : doubted)
    if (others.size() >= count) most = rank, count = others.size();
  return most;
}

// Told as a death is; also to that rank, which may live.
void Doubts::expel(Rank rank) {
  util::log(util::LogLevel::info, "rank %u gives rank %u up: it and another rank do not reach each other", own_rank_,
            rank);
  if (Peer* peer = peers_.met(rank); peer != nullptr && !peer->failed.load())
    if (Status told = news_.tell(*peer, rank); !told.ok())
      util::log(util::LogLevel::info, "rank %u could not tell rank %u that it was given up", own_rank_, rank);
  outside_.bootstrap->report_failure(rank);
  peers_.refresh();
}

bool Doubts::is_known_dead(Rank rank) const {
  return rank != own_rank_ && outside_.bootstrap->health(rank) != Health::healthy;
}

bool Doubts::is_reached(Rank rank) const {
  return peers_.health(rank) == Health::healthy;
}

}  // namespace polder::core
