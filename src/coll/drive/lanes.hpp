// The collectives of a group at one of its members. They are numbered as members begin them, which is the same order at
// all; number n goes over lane n mod kLanes, so that as many may be under way together.
#pragma once

#include "coll/drive/attendant.hpp"
#include "coll/drive/attended.hpp"
#include "coll/drive/edge_slots.hpp"
#include "coll/lane/lane_ground.hpp"
#include "coll/lane/lane_node.hpp"
#include "coll/letters/lane_wire.hpp"
#include "coll/table/table.hpp"
#include "coll/task/task.hpp"
#include "core/group/group_extension.hpp"
#include "core/group/letter_room.hpp"
#include "core/progress/background.hpp"
#include "util/thread.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace polder::core {
class GroupState;
struct GroupPorts;
}  // namespace polder::core

namespace polder::coll {

// What one collective at a time runs over.
struct Lane {
  Lane(LaneGround& ground, unsigned number);

  Frames frames;
  Strand strand{frames};
  LaneWire wire;                    // all members
  std::optional<LaneWire> row;      // who has this member's place on each node, if there are several and all have it
  std::optional<LaneNode> node;     // the members of this one's node, if any node has several
  std::atomic<std::uint64_t> turn;  // the number of the collective whose lane it is
  std::atomic<bool> driven{false};  // by some thread, at this instant
};

// Drives the lane until it goes out of scope, when its turn is to drive it.
class Driving {
 public:
  explicit Driving(Lane& lane) : lane_(lane) {
    while (lane_.driven.exchange(true, std::memory_order_acquire)) util::yield_core();
  }
  ~Driving() { lane_.driven.store(false, std::memory_order_release); }
  Driving(const Driving&) = delete;
  Driving& operator=(const Driving&) = delete;

 private:
  Lane& lane_;
};

class Lanes final : public core::GroupExtension, private core::Background {
 public:
  static constexpr unsigned kLanes = core::LetterRoom::kLanes;

  // Of this group, made on first use. REQUIRES: the group is committed.
  static Lanes& of(core::GroupState& group);
  explicit Lanes(core::GroupState& group);
  ~Lanes() override;

  std::uint64_t begun() const override { return begun_.load(std::memory_order_relaxed); }
  std::uint64_t ended() const override;
  bool needed() const override;

  LaneGround& ground() { return ground_; }
  const core::GroupPorts& ports() const { return ground_.ports(); }

  // The number of the collective that begins now.
  std::uint64_t next_number() {
    const std::uint64_t number = begun() + 1;
    begun_.store(number, std::memory_order_relaxed);  // by one thread at a time
    return number;
  }
  Lane& lane_of(std::uint64_t number) { return *lanes_[number % kLanes]; }
  // One thread of a rank begins or drives a blocking collective of a group at a time.
  std::atomic<bool> busy{false};
  // Of blocking calls: a thread is in one, and the one that timed out last goes on, or the memory of the last.
  std::atomic<bool> blocking{false};
  std::unique_ptr<Attended> resumable;
  const Table& table() const { return table_; }
  // Slots of neighbours that have no distance's; shared with those who have taken some.
  const std::shared_ptr<EdgeSlots>& edge_slots() const { return edge_slots_; }
  // Posts all credits that wait for a letter, as far as there is room.
  void settle_credits();
  // Whether the reader of `slot` still has cells to give back. REQUIRES: settle_credits(), and what that posted has arrived.
  bool owes_credits_of(Slot slot);
  // This slot serves another edge from now on. REQUIRES: nothing is under way over it at either end.
  void forget_edge(Role role, Slot slot);
  // Is driven by whoever makes progress, and if need be by a thread of the group's own; `at_once`: that begins now.
  void adopt(Attended& operation, bool at_once);
  void disown(Attended& operation);
  // Null: nothing has been adopted, or there is to be none.
  Attendant* attendant() const { return attendant_.load(std::memory_order_acquire); }

 private:
  void make_attendant();
  int advance() override;

  LaneGround ground_;
  const Table table_ = Table::of_environment();
  const std::shared_ptr<EdgeSlots> edge_slots_;
  std::array<std::unique_ptr<Lane>, kLanes> lanes_;
  std::atomic<std::uint64_t> begun_{0};

  std::mutex adopting_;
  std::vector<Attended*> adopted_;
  std::unique_ptr<Attendant> own_attendant_;    // since the first one was adopted
  std::atomic<Attendant*> attendant_{nullptr};  // for those who do not hold the lock
};

}  // namespace polder::coll
