#include "core/barrier.hpp"

#include "core/engine.hpp"
#include "core/notification.hpp"
#include "core/transfer.hpp"

#include <bit>

namespace polder::core {

namespace {
constexpr std::int64_t kGrace = 2'000'000'000;
}

unsigned dissemination_rounds(std::size_t members) {
  return members < 2 ? 0 : unsigned(std::bit_width(members - 1));
}

Status Barrier::run(Timeout timeout) {
  if (!under_way_) {
    ++sequence_;
    if (setting_.central == nullptr && std::uint32_t(sequence_) == 0) ++sequence_;  // a flag of 0 is none
    under_way_ = true;
    round_ = 0;
    told_ = false;
    left_since_ = 0;
  }
  Status status = setting_.central != nullptr ? run_central(timeout) : run_dissemination(timeout);
  if (status.ok()) under_way_ = false;
  return status;
}

Status Barrier::run_first(Timeout timeout) {
  first_ = true;
  Status status = run(timeout);
  first_ = false;
  return status;
}

// Who left in good order has either been through this barrier, or will never come. In a central barrier the first means
// that all are released, so it is the second. In the other one the last flags may still be on their way, for a moment.
Status Barrier::trouble() {
  Peers& peers = setting_.engine->peers;
  if (first_) return peers.check_may_join(setting_.ranks);
  if (Status status = peers.check_open(); !status.ok()) return status;
  for (const Rank rank : setting_.ranks) {
    const Health health = peers.health(rank);
    if (health == Health::healthy) continue;
    // Gone for us and healthy for the launcher: it has come back with a newer runtime (or its link broke).
    const bool has_left = health == Health::finished || setting_.engine->bootstrap->health(rank) == Health::healthy;
    if (!has_left || setting_.central != nullptr) return peers.gone(rank);
    if (left_since_ == 0) left_since_ = util::now_ns();
    if (util::now_ns() - left_since_ > kGrace) return peers.gone(rank);
  }
  return {};
}

Status Barrier::run_central(Timeout timeout) {
  CentralBarrier& central = *setting_.central;
  if (!told_) {
    told_ = true;
    const std::uint64_t all = sequence_ * setting_.ranks.size();
    if (central.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == all) {
      central.released.store(sequence_, std::memory_order_release);
      central.bell.ring();
      return {};
    }
  }
  return setting_.engine->wait([&] { return central.released.load(std::memory_order_acquire) >= sequence_; },
                               [this] { return trouble(); }, central.bell, timeout);
}

Status Barrier::run_dissemination(Timeout timeout) {
  Engine& engine = *setting_.engine;
  const util::Deadline deadline(timeout);
  const auto value = std::uint32_t(sequence_);
  for (; round_ < setting_.to.size(); ++round_, told_ = false) {
    if (!told_)
      if (Status status = tell(round_, timeout.is_test() ? timeout : deadline.remaining()); !status.ok()) return status;
    told_ = true;
    const auto& flag = setting_.own->control->flags()[setting_.lane * GroupMemory::kRounds + round_];
    // A partner may be one barrier ahead; differences survive the wrap-around.
    const auto arrived = [&] { return std::int32_t(flag.load(std::memory_order_acquire) - value) >= 0; };
    const Timeout left = timeout.is_test() ? timeout : deadline.remaining();
    Status status = engine.wait(
        arrived, [this] { return trouble(); }, setting_.own->control->bell, left);
    if (!status.ok()) return status;
  }
  return {};
}

Status Barrier::tell(unsigned round, Timeout timeout) {
  const Notification flag{setting_.lane * GroupMemory::kRounds + round, std::uint32_t(sequence_), kAnySegment};
  const PeerSegment& to = *setting_.to[round];
  const Rank rank = setting_.ranks[(setting_.index + (std::size_t{1} << round)) % setting_.ranks.size()];
  // Another group may live in its place by now. Or it went because a member is dead: then that is the news.
  if (!to.live()) {
    if (Status status = trouble(); !status.ok()) return status;
    return {Code::invalid_group, "barrier: rank " + std::to_string(rank) + " has deleted the group"};
  }
  if (to.control != nullptr) {
    raise_flag(to, flag);
    return {};
  }
  Engine& engine = *setting_.engine;
  Status status = post_flag(engine, rank, setting_.to_segment[round], to, flag, Post(*engine.internal_queue, timeout));
  return status.code() == Code::queue_full ? Status(Code::timeout) : status;
}

}  // namespace polder::core
