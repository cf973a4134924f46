#include "core/mutex/mutexes_state.hpp"

#include "core/group/allocation_state.hpp"
#include "core/mutex/mutex_contender.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "trace/record/span.hpp"
#include "util/platform.hpp"

#include <algorithm>
#include <bit>

namespace polder::core {
namespace {

std::vector<std::uint32_t> counts_of(const Allocation& memory, std::size_t bytes_of_one) {
  std::vector<std::uint32_t> counts;
  for (const Contribution& each : memory.contributions()) counts.push_back(std::uint32_t(each.size / bytes_of_one));
  return counts;
}

}  // namespace

// ---- making them ----

std::size_t MutexesState::bytes_of_one(std::size_t members) {
  return util::round_up(sizeof(std::uint64_t) * (1 + (members + kBits - 1) / kBits), util::kCacheLine);
}

Result<std::unique_ptr<Mutexes>> MutexesState::make(const GroupPorts& ports, Group& group, std::size_t count,
                                                    Timeout timeout) {
  if (!group.committed()) return Status(Code::invalid_group, "mutexes of a group that has not been committed");
  const std::size_t each = bytes_of_one(group.size());
  if (count > UINT32_MAX / each)
    return Status(Code::invalid_size, std::to_string(count) + " mutexes at a rank are too many");
  auto memory = AllocationState::make(ports, group, {.size = count * each, .notifications = 1, .gather = true});
  if (Status status = memory->commit(timeout); !status.ok()) return status;
  return std::unique_ptr<Mutexes>(new Mutexes(std::make_unique<MutexesState>(ports, group, std::move(memory))));
}

MutexesState::MutexesState(const GroupPorts& ports, Group& group, std::unique_ptr<Allocation> memory)
    : ports_(ports),
      group_(group),
      me_(group.index()),
      memory_(std::move(memory)),
      counts_(counts_of(*memory_, bytes_of_one(group.size()))),
      largest_count_(*std::max_element(counts_.begin(), counts_.end())),
      locals_(largest_count_ * group.size()) {}

std::size_t MutexesState::count(Rank rank) const {
  const auto member = group_.relative(rank);
  return member ? counts_[*member] : 0;
}

std::string MutexesState::describe(MutexName which) const {
  return "mutex " + std::to_string(which.index) + " of rank " + std::to_string(which.rank);
}

Result<MutexesState::Mutex> MutexesState::find(MutexName which) const {
  if (!memory_->committed()) return Status(Code::invalid_argument, describe(which) + " has been destroyed");
  const auto member = group_.relative(which.rank);
  if (!member)
    return Status(Code::invalid_rank, describe(which) + ": that rank is no member of the group they belong to");
  if (which.index >= counts_[*member])
    return Status(Code::invalid_argument,
                  describe(which) + ": that rank has " + std::to_string(counts_[*member]) + " of them");
  const GlobalAddress word = memory_->at(which.rank, which.index * bytes_of_one(group_.size()));
  Local& local =
      locals_.find_or_insert(*member * largest_count_ + which.index, [] { return std::make_unique<Local>(); });
  return Mutex{which, word, word + sizeof(std::uint64_t), &local};
}

// ---- threads of this rank ----

Status MutexesState::lock_locally(const Mutex& mutex, Timeout timeout) {
  const auto taken = [&] { return !mutex.local->taken.exchange(true, std::memory_order_acquire); };
  if (taken()) return {};
  return wait_for(
      ports_.progress, taken, [&] { return ports_.peers.check_open(); }, timeout,
      [&](bootstrap::LongWait& wait) {
        wait.say("for " + describe(mutex.name) + ", for another thread of this rank");
      });
}

void MutexesState::unlock_locally(const Mutex& mutex) {
  // Also by a thread that does not hold it: unlocking by another thread of the rank is allowed.
  mutex.local->taken.store(false, std::memory_order_release);
  ring_completions(ports_.progress);
}

// ---- words ----

// Each is a round trip at most, and its outcome must be known: no timeout. A dead home ends it.
Result<std::uint64_t> MutexesState::apply(AtomicOp op, GlobalAddress place, std::uint64_t operand,
                                          std::uint64_t compare) {
  return ports_.one_sided.atomic(place, Update::of_word(op, 8, operand, compare), Timeout::block());
}

Result<MutexesState::Word> MutexesState::load(const Mutex& mutex) {
  auto value = apply(AtomicOp::fetch_add, mutex.word, 0);
  if (!value.ok()) return std::move(value).status();
  return Word{*value};
}

Result<bool> MutexesState::replace(const Mutex& mutex, Word& from, Word to) {
  auto old = apply(AtomicOp::compare_swap, mutex.word, to.value, from.value);
  if (!old.ok()) return std::move(old).status();
  if (*old == from.value) return true;
  from.value = *old;
  return false;
}

bool MutexesState::is_gone(std::size_t member) const {
  return ports_.peers.health(group_.absolute(Rank(member))) != Health::healthy;
}

// ---- locking ----

Status MutexesState::lock(MutexName which, Timeout timeout) {
  trace::Span span(ports_.outside.recorder(), trace::EventKind::lock,
                   {.peer = which.rank, .value = NotificationValue(which.index)});
  return span.outcome(lock_untraced(which, timeout));
}

Status MutexesState::lock_untraced(MutexName which, Timeout timeout) {
  if (Status status = ports_.peers.check_open(); !status.ok()) return status;
  const util::Deadline deadline(timeout, ports_.clock);
  auto mutex = find(which);
  if (!mutex.ok()) return std::move(mutex).status();
  if (Status status = lock_locally(*mutex, timeout); !status.ok()) return status;
  Word word;  // free, and nobody waits
  auto taken = replace(*mutex, word, Word::held_by(me_));
  if (taken.ok() && *taken) return {};
  Status status = taken.ok() ? Contender(*this, *mutex).run(word, deadline.remaining()) : std::move(taken).status();
  if (!status.ok() && status.code() != Code::owner_died) unlock_locally(*mutex);
  return status;
}

// ---- unlocking ----

Status MutexesState::unlock(MutexName which, Timeout timeout) {
  trace::Span span(ports_.outside.recorder(), trace::EventKind::unlock,
                   {.peer = which.rank, .value = NotificationValue(which.index)});
  return span.outcome(unlock_untraced(which, timeout));
}

Status MutexesState::unlock_untraced(MutexName which, Timeout timeout) {
  if (Status status = ports_.peers.check_open(); !status.ok()) return status;
  auto mutex = find(which);
  if (!mutex.ok()) return std::move(mutex).status();
  const util::Deadline deadline(timeout, ports_.clock);
  std::atomic_thread_fence(std::memory_order_release);
  OneSided& one_sided = ports_.one_sided;
  if (Status status = one_sided.fence(one_sided.operations(), timeout); !status.ok()) return status;
  Word word = Word::held_by(me_);
  auto released = replace(*mutex, word, Word{});
  Status status = released.status();
  if (status.ok() && !*released) {
    if (word.is_free() || word.holder() != me_)
      return {Code::invalid_argument,
              describe(which) + " is not held by rank " + std::to_string(ports_.outside.rank())};
    status = hand_on(*mutex, word, deadline);
  }
  unlock_locally(*mutex);
  return status;
}

// Others wait, or waited: chooses one of them and gives it the mutex. Whoever announces itself meanwhile changes the
// word, and then we look again.
Status MutexesState::hand_on(const Mutex& mutex, Word now, const util::Deadline& deadline) {
  while (true) {
    auto next = successor(mutex);
    if (!next.ok()) return std::move(next).status();
    auto done = replace(mutex, now, next->has_value() ? Word::held_by(**next, 1) : Word{});
    if (!done.ok()) return std::move(done).status();
    if (!*done) continue;
    if (next->has_value()) wake(**next, deadline.remaining());
    return {};
  }
}

// The next member of the set after this rank, counted upwards and around.
Result<std::optional<std::size_t>> MutexesState::successor(const Mutex& mutex) {
  auto above = waiting_in(mutex, me_ + 1, group_.size());
  if (!above.ok() || above->has_value()) return above;
  return waiting_in(mutex, 0, me_);
}

Result<std::optional<std::size_t>> MutexesState::waiting_in(const Mutex& mutex, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end;) {
    const std::size_t first = at / kBits * kBits;
    auto bits = apply(AtomicOp::fetch_or, mutex.waiting + at / kBits * sizeof(std::uint64_t), 0);
    if (!bits.ok()) return std::move(bits).status();
    const std::size_t stop = std::min(end, first + kBits);
    for (; at < stop; ++at)
      if ((*bits >> (at - first) & 1) != 0 && !is_gone(at)) return std::optional(at);
  }
  return std::optional<std::size_t>();
}

// Only to make it faster: who waits also looks now and then.
void MutexesState::wake(std::size_t member, Timeout timeout) {
  const Rank rank = group_.absolute(Rank(member));
  [[maybe_unused]] const Status sent = ports_.one_sided.post_flag(rank, memory_->id(), {.id = kWakeUp},
                                                                  Post(ports_.one_sided.internal_queue(), timeout));
}

}  // namespace polder::core

namespace polder {

Mutexes::Mutexes(std::unique_ptr<core::MutexesState> state) : state_(std::move(state)) {}
Mutexes::~Mutexes() = default;

Status Mutexes::lock(MutexName which, Timeout timeout) {
  return state_->lock(which, timeout);
}
Status Mutexes::unlock(MutexName which, Timeout timeout) {
  return state_->unlock(which, timeout);
}
std::size_t Mutexes::count(Rank rank) const {
  return state_->count(rank);
}
Status Mutexes::destroy(Timeout timeout) {
  return state_->destroy(timeout);
}

}  // namespace polder
