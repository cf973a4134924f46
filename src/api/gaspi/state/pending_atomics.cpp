#include "api/gaspi/state/pending_atomics.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

namespace polder::gaspi {

PendingAtomics::~PendingAtomics() {
  for (Pending& pending : pending_) pending.thread.join();
}

Result<gaspi_atomic_value_t> PendingAtomics::run(const AtomicCall& call, const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  Position pending = find(lock, call);
  if (pending == pending_.end()) pending = begin(lock, call);
  return wait(std::move(lock), pending, deadline);
}

std::optional<Result<gaspi_atomic_value_t>> PendingAtomics::go_on(const AtomicCall& call, const Deadline& deadline) {
  if (count_.load(std::memory_order_acquire) == 0) return std::nullopt;
  std::unique_lock lock(mutex_);
  const Position pending = find(lock, call);
  if (pending == pending_.end()) return std::nullopt;
  return wait(std::move(lock), pending, deadline);
}

Result<gaspi_atomic_value_t> PendingAtomics::wait(std::unique_lock<std::mutex> held, Position pending,
                                                  const Deadline& deadline) {
  pending->awaited = true;
  const auto has_ended = [&] { return pending->outcome.has_value(); };
  while (!has_ended() && !deadline.over()) ended_.wait_until(held, deadline.nap(std::chrono::seconds(1)), has_ended);
  if (!has_ended()) {
    pending->awaited = false;
    return Status(Code::timeout);
  }
  std::list<Pending> mine;
  mine.splice(mine.begin(), pending_, pending);
  count_.store(pending_.size(), std::memory_order_release);
  held.unlock();
  mine.front().thread.join();
  return *std::move(mine.front().outcome);
}

bool PendingAtomics::end(const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  const auto all_have_ended = [&] {
    return std::ranges::all_of(pending_, [](const Pending& pending) { return pending.outcome.has_value(); });
  };
  while (!all_have_ended() && !deadline.over())
    ended_.wait_until(lock, deadline.nap(std::chrono::seconds(1)), all_have_ended);
  return all_have_ended();
}

PendingAtomics::Position PendingAtomics::find(const std::unique_lock<std::mutex>& held, const AtomicCall& call) {
  assert(held.owns_lock());
  return std::ranges::find_if(pending_,
                              [&](const Pending& pending) { return !pending.awaited && pending.call == call; });
}

PendingAtomics::Position PendingAtomics::begin(const std::unique_lock<std::mutex>& held, const AtomicCall& call) {
  assert(held.owns_lock());
  // Apart until it has its thread, which the system may refuse with an exception. The list keeps its place for as long
  // as the thread runs.
  std::list<Pending> begun;
  const Position pending = begun.insert(begun.end(), Pending{call, true, std::nullopt, {}});
  pending->thread = std::thread([this, pending] {
    const AtomicCall& what = pending->call;
    auto outcome = runtime_.atomic(what.op, what.target, sizeof(gaspi_atomic_value_t), what.operand, what.compare);
    const std::lock_guard lock(mutex_);
    pending->outcome.emplace(std::move(outcome));
    ended_.notify_all();
  });
  pending_.splice(pending_.end(), begun);
  count_.store(pending_.size(), std::memory_order_release);
  return pending;
}

}  // namespace polder::gaspi
