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
  const Position pending = find_or_begin(lock, call);
  pending->awaited = true;
  const auto has_ended = [&] { return pending->outcome.has_value(); };
  while (!has_ended() && !deadline.over()) ended_.wait_until(lock, deadline.nap(std::chrono::seconds(1)), has_ended);
  if (!has_ended()) {
    pending->awaited = false;
    return Status(Code::timeout);
  }
  std::list<Pending> mine;
  mine.splice(mine.begin(), pending_, pending);
  lock.unlock();
  mine.front().thread.join();
  return *std::move(mine.front().outcome);
}

PendingAtomics::Position PendingAtomics::find_or_begin(const std::unique_lock<std::mutex>& held,
                                                       const AtomicCall& call) {
  assert(held.owns_lock());
  const auto same = [&](const Pending& pending) { return !pending.awaited && pending.call == call; };
  const Position found = std::ranges::find_if(pending_, same);
  if (found != pending_.end()) return found;
  const Position begun = pending_.insert(pending_.end(), Pending{call, true, std::nullopt, {}});
  // The list keeps its place for as long as the thread runs.
  begun->thread = std::thread([this, begun] {
    const AtomicCall& what = begun->call;
    auto outcome = runtime_.atomic(what.op, what.target, sizeof(gaspi_atomic_value_t), what.operand, what.compare);
    const std::lock_guard lock(mutex_);
    begun->outcome.emplace(std::move(outcome));
    ended_.notify_all();
  });
  return begun;
}

}  // namespace polder::gaspi
