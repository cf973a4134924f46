#include "core/mutex/mutex_contender.hpp"

#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segments.hpp"
#include "util/deadline.hpp"
#include "util/platform.hpp"

#include <algorithm>

namespace polder::core {

GlobalAddress MutexContender::my_bits() const {
  return mutex_.waiting + memory_.me() / MutexMemory::kBits * sizeof(std::uint64_t);
}
std::uint64_t MutexContender::my_bit() const {
  return std::uint64_t{1} << (memory_.me() % MutexMemory::kBits);
}

Status MutexContender::run(MutexWord word, Timeout timeout) {
  const util::Deadline deadline(timeout, memory_.ports().clock);
  if (!timeout.is_test()) word = watch(word);
  while (true) {
    const std::uint32_t seen = memory_.wake_ups.load(std::memory_order_acquire);
    Status outcome;
    auto ours = settle(word, outcome);
    if (!ours.ok()) return std::move(ours).status();
    if (*ours) return outcome;
    if (deadline.passed()) {
      if (!announced_) return Code::timeout;
      // Somebody may be handing it to us this instant: after this nobody can.
      auto last = leave_set(true);
      if (!last.ok()) return std::move(last).status();
      announced_ = false;
      return !last->is_free() && last->holder() == memory_.me() ? Status() : Code::timeout;
    }
    auto now = announced_ ? Result<MutexWord>(word) : announce();
    if (now.ok() && now->value == word.value) {
      if (Status status = await_turn(word, seen, deadline.remaining()); !status.ok()) return status;
      now = memory_.load(mutex_);
    }
    if (!now.ok()) return std::move(now).status();
    word = *now;
  }
}

// Most mutexes are held for a moment: looks on for another one before it goes to the trouble of being woken. Only where
// that is a load from memory and the holder has a core of its own.
MutexWord MutexContender::watch(MutexWord word) const {
  constexpr int kLooks = 100;  // a pause and a load each: some microseconds
  const GroupPorts& ports = memory_.ports();
  const PeerSegment* home = ports.peer_segments.find(mutex_.word.rank, mutex_.word.segment);
  if (home == nullptr || home->data == nullptr || !ports.progress.patience().may_spin()) return word;
  const std::atomic_ref<std::uint64_t> place(*reinterpret_cast<std::uint64_t*>(home->data + mutex_.word.offset));
  for (int look = 0; look < kLooks && !word.is_free(); ++look) {
    util::cpu_relax();
    word.value = place.load(std::memory_order_relaxed);
  }
  return word;
}

// True if the mutex is ours: handed to us, found free, or taken over from a holder that is gone.
Result<bool> MutexContender::settle(MutexWord& word, Status& outcome) {
  bool ours = !word.is_free() && word.holder() == memory_.me();
  if (!ours) {
    auto seized = seize(word, outcome);
    if (!seized.ok()) return seized;
    ours = *seized;
  }
  if (ours && announced_)
    if (auto left = leave_set(false); !left.ok()) return std::move(left).status();
  return ours;
}

Result<bool> MutexContender::seize(MutexWord& word, Status& outcome) {
  while (word.is_free() || memory_.is_gone(word.holder())) {
    const MutexWord before = word;
    // With an announcement, so that whoever unlocks looks for others who wait.
    auto taken = memory_.replace(mutex_, word, MutexWord::held_by(memory_.me(), (before.value & 0xffffffffu) | 1));
    if (!taken.ok()) return taken;
    if (!*taken) continue;
    if (!before.is_free())
      outcome = Status(Code::owner_died, MutexMemory::describe(mutex_.name) + ": rank " +
                                             std::to_string(memory_.rank_of(before.holder())) +
                                             " died or left the job while it held it");
    return true;
  }
  return false;
}

Result<MutexWord> MutexContender::announce() {
  auto set = memory_.apply(AtomicOp::fetch_or, my_bits(), my_bit());
  if (!set.ok()) return std::move(set).status();
  auto now = add_announcement();
  announced_ = now.ok();
  return now;
}

// Whoever waits in vain for a mutex that is held for long, again and again, counts up as well; before the count reaches
// the number of the holder it begins anew. If that fails, for another one was faster, the next announcement tries.
Result<MutexWord> MutexContender::add_announcement() {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 31;
  auto old = memory_.apply(AtomicOp::fetch_add, mutex_.word, 1);
  if (!old.ok()) return std::move(old).status();
  MutexWord now{*old + 1};
  if (now.announcements() < kMany) return now;
  const MutexWord fewer = now.with_one_announcement();
  auto replaced = memory_.replace(mutex_, now, fewer);
  if (!replaced.ok()) return std::move(replaced).status();
  return *replaced ? fewer : now;
}

Result<MutexWord> MutexContender::leave_set(bool tell) {
  auto cleared = memory_.apply(AtomicOp::fetch_and, my_bits(), ~my_bit());
  if (!cleared.ok()) return std::move(cleared).status();
  return tell ? add_announcement() : MutexWord{};
}

// Sleeps until this rank is given a mutex, the holder is gone, or it is time to look again: the one who should have
// woken us may have died before it could.
Status MutexContender::await_turn(MutexWord word, std::uint32_t seen, Timeout timeout) {
  const GroupPorts& ports = memory_.ports();
  auto own = ports.peer_segments.resolve(ports.outside.rank(), memory_.segment(), Timeout::test());
  if (!own.ok()) return std::move(own).status();
  SegmentControl& control = *(*own)->control;
  std::atomic<std::uint32_t>& flag = control.flags()[MutexMemory::kWakeUp];
  // Whichever thread finds the flag tells the others of this rank, who may be waiting for other mutexes.
  const auto woken = [&] {
    if (flag.load(std::memory_order_relaxed) != 0 && flag.exchange(0, std::memory_order_acquire) != 0) {
      memory_.wake_ups.fetch_add(1, std::memory_order_acq_rel);
      control.bell.ring();
    }
    return memory_.wake_ups.load(std::memory_order_acquire) != seen;
  };
  const auto trouble = [&]() -> Status {
    if (Status status = ports.peers.check_open(); !status.ok()) return status;
    return memory_.is_gone(word.holder()) ? Status(Code::owner_died) : Status();
  };
  const std::int64_t slice = ports.progress.patience().options().slice_ns;
  const Timeout nap = std::chrono::nanoseconds(std::min(slice, timeout.nanoseconds()));
  const auto describe = [&](bootstrap::LongWait& wait) {
    wait.say("for " + MutexMemory::describe(mutex_.name));
    if (!word.is_free()) wait.wait_for(memory_.rank_of(word.holder()));
  };
  const Status status = ports.progress.wait(woken, trouble, control.bell, nap, describe);
  return status.code() == Code::closed ? status : Status();
}

}  // namespace polder::core
