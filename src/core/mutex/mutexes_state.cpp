#include "core/mutex/mutexes_state.hpp"

#include "core/mutex/mutex_contender.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "trace/record/span.hpp"

#include <algorithm>
#include <utility>

namespace polder::core {

// ---- making them ----

Result<std::unique_ptr<Mutexes>> MutexesState::make(const GroupPorts& ports, Group& group, std::size_t count,
                                                    Timeout timeout) {
  auto memory = MutexMemory::allocate(ports, group, count, timeout);
  if (!memory.ok()) return std::move(memory).status();
  return std::unique_ptr<Mutexes>(new Mutexes(std::make_unique<MutexesState>(ports, group, *std::move(memory))));
}

// ---- threads of this rank ----

Status MutexesState::lock_locally(const FoundMutex& mutex, Timeout timeout) {
  const auto taken = [&] { return !mutex.local->taken.exchange(true, std::memory_order_acquire); };
  if (taken()) return {};
  return wait_for(
      ports().progress, taken, [&] { return ports().peers.check_open(); }, timeout,
      [&](bootstrap::LongWait& wait) {
        wait.say("for " + MutexMemory::describe(mutex.name) + ", for another thread of this rank");
      });
}

void MutexesState::unlock_locally(const FoundMutex& mutex) {
  // Also by a thread that does not hold it: unlocking by another thread of the rank is allowed.
  mutex.local->taken.store(false, std::memory_order_release);
  ring_completions(ports().progress);
}

// ---- locking ----

Status MutexesState::lock(MutexName which, Timeout timeout) {
  trace::Span span(ports().outside.recorder(), trace::EventKind::lock,
                   {.peer = which.rank, .value = NotificationValue(which.index)});
  return span.outcome(lock_untraced(which, timeout));
}

Status MutexesState::lock_untraced(MutexName which, Timeout timeout) {
  if (Status status = ports().peers.check_open(); !status.ok()) return status;
  const util::Deadline deadline(timeout, ports().clock);
  auto mutex = memory_.find(which);
  if (!mutex.ok()) return std::move(mutex).status();
  if (Status status = lock_locally(*mutex, timeout); !status.ok()) return status;
  MutexWord word;  // free, and nobody waits
  auto taken = memory_.replace(*mutex, word, MutexWord::held_by(memory_.me()));
  if (taken.ok() && *taken) return {};
  Status status =
      taken.ok() ? MutexContender(memory_, *mutex).run(word, deadline.remaining()) : std::move(taken).status();
  if (!status.ok() && status.code() != Code::owner_died) unlock_locally(*mutex);
  return status;
}

// ---- unlocking ----

Status MutexesState::unlock(MutexName which, Timeout timeout) {
  trace::Span span(ports().outside.recorder(), trace::EventKind::unlock,
                   {.peer = which.rank, .value = NotificationValue(which.index)});
  return span.outcome(unlock_untraced(which, timeout));
}

Status MutexesState::unlock_untraced(MutexName which, Timeout timeout) {
  if (Status status = ports().peers.check_open(); !status.ok()) return status;
  auto mutex = memory_.find(which);
  if (!mutex.ok()) return std::move(mutex).status();
  const util::Deadline deadline(timeout, ports().clock);
  std::atomic_thread_fence(std::memory_order_release);
  OneSided& one_sided = ports().one_sided;
  if (Status status = one_sided.fence(one_sided.operations(), timeout); !status.ok()) return status;
  MutexWord word = MutexWord::held_by(memory_.me());
  auto released = memory_.replace(*mutex, word, MutexWord{});
  Status status = released.status();
  if (status.ok() && !*released) {
    if (word.is_free() || word.holder() != memory_.me())
      return {Code::invalid_argument,
              MutexMemory::describe(which) + " is not held by rank " + std::to_string(ports().outside.rank())};
    status = hand_on(*mutex, word, deadline);
  }
  unlock_locally(*mutex);
  return status;
}

// Others wait, or waited: chooses one of them and gives it the mutex. Whoever announces itself meanwhile changes the
// word, and then we look again.
Status MutexesState::hand_on(const FoundMutex& mutex, MutexWord now, const util::Deadline& deadline) {
  while (true) {
    auto next = successor(mutex);
    if (!next.ok()) return std::move(next).status();
    auto done = memory_.replace(mutex, now, next->has_value() ? MutexWord::held_by(**next, 1) : MutexWord{});
    if (!done.ok()) return std::move(done).status();
    if (!*done) continue;
    if (next->has_value()) wake(**next, deadline.remaining());
    return {};
  }
}

// The next member of the set after this rank, counted upwards and around.
Result<std::optional<std::size_t>> MutexesState::successor(const FoundMutex& mutex) {
  auto above = waiting_in(mutex, memory_.me() + 1, memory_.members());
  if (!above.ok() || above->has_value()) return above;
  return waiting_in(mutex, 0, memory_.me());
}

Result<std::optional<std::size_t>> MutexesState::waiting_in(const FoundMutex& mutex, std::size_t begin,
                                                            std::size_t end) {
  for (std::size_t at = begin; at < end;) {
    const std::size_t first = at / MutexMemory::kBits * MutexMemory::kBits;
    auto bits = memory_.apply(AtomicOp::fetch_or, mutex.waiting + at / MutexMemory::kBits * sizeof(std::uint64_t), 0);
    if (!bits.ok()) return std::move(bits).status();
    const std::size_t stop = std::min(end, first + MutexMemory::kBits);
    for (; at < stop; ++at)
      if ((*bits >> (at - first) & 1) != 0 && !memory_.is_gone(at)) return std::optional(at);
  }
  return std::optional<std::size_t>();
}

// Only to make it faster: who waits also looks now and then.
void MutexesState::wake(std::size_t member, Timeout timeout) {
  const Rank rank = memory_.rank_of(member);
  [[maybe_unused]] const Status sent = ports().one_sided.post_flag(
      rank, memory_.segment(), {.id = MutexMemory::kWakeUp}, Post(ports().one_sided.internal_queue(), timeout));
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
