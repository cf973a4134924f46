// What the parts of a LaneWire share: its members, the call whose letters go over it, what has gone over each slot, and what went wrong.
#pragma once

#include "coll/lane/call_record.hpp"
#include "coll/lane/lane_ground.hpp"
#include "coll/letters/letter_cell.hpp"
#include "coll/letters/slot_traffic.hpp"
#include "coll/port/copy_ways.hpp"
#include "coll/port/elements.hpp"
#include "coll/port/wire.hpp"
#include "core/group/member_memory.hpp"
#include "core/segment/peer_segment.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace polder::coll {

class LaneWireState {
 public:
  // Slots of the lane from `first` on, for members in these places; none: all members of the group. `elements`: of what is reduced.
  LaneWireState(LaneGround& ground, unsigned lane, Slot first, std::span<const Rank> places, Rank size, Slot slots,
                const Elements& elements);
  LaneWireState(const LaneWireState&) = delete;
  LaneWireState& operator=(const LaneWireState&) = delete;

  LaneGround& ground;
  const unsigned lane;
  const Slot first;
  const Elements& elements;
  std::vector<WrittenSlot> written;  // by slot
  std::vector<ReadSlot> read;        // likewise

  // The next collective.
  void begin(const CallRecord& call, bool patient);
  const CallRecord& call() const { return call_; }
  std::uint32_t print() const { return print_; }

  // ---- members: a place is of this wire, a member of the group, a rank of the job ----
  Rank member(Rank place) const { return places_.empty() ? place : places_[place]; }
  Rank rank_of(Rank place) const { return ground.rank_of(member(place)); }
  // Where the memory of the member in this place lies. False: not known yet, or there is trouble.
  bool reach(core::MemberMemory& memory, Rank place) { return memory.segment != nullptr || find(memory, place); }
  // The same for what is not waited for; that the member has deleted the group is no trouble.
  bool find_unless_deleted(core::MemberMemory& memory, Rank place, bool& is_deleted);
  // Letters to and from those who are gone are left until all others have come and gone.
  bool is_patient() const { return patient_; }
  bool is_gone(Rank place) const;
  bool has_left(Rank place) const;  // in good order
  bool is_out_of_reach(Rank place) const;
  // Whether somebody may be out of reach: nearly always nobody is, and then none is asked about.
  bool may_lack_any();

  // ---- cells ----
  Envelope& envelope(std::byte* memory, Slot slot, unsigned cell) const {
    return *reinterpret_cast<Envelope*>(memory + ground.room().envelope(lane, slot, cell));
  }
  // That says that the next cell is filled, behind so many.
  std::uint32_t word(std::uint64_t cells) const { return CellWord::of(cells, print_); }
  // What the reader of this member's letters has given back of their slot, in this member's memory.
  std::uint32_t credit_word(Slot slot, unsigned half) const {
    const NotificationId credit_flag = ground.room().credit_flag(lane, first + slot, half);
    return ground.own().control->flags()[credit_flag].load(std::memory_order_acquire);
  }

  // ---- how contents are copied ----
  // What the members of this node receive and send at the same time would not stay in their last cache: 1.2 to 1.5 times as fast past it on
  // an EPYC with 32 MB, for letters of 1 MB to 4 and 16 neighbours.
  bool goes_past_cache(const In& in) const;
  // Of a letter that could have been offered instead, in a cell that is not the first to use its place: pages that were never touched
  // take longer, and say nothing of later cells.
  template <class Copy>
  void measure(CopyWays::Step step, std::size_t letter_bytes, std::uint64_t cells_before, std::size_t bytes,
               Copy&& copy) {
    if (letter_bytes < CopyWays::kLeast || cells_before < core::LetterRoom::kCells) return copy();
    ways.measure(step, bytes, copy);
  }
  CopyWays& ways;

  // ---- what went wrong ----
  // Why nothing can go on.
  const Status& trouble() const { return trouble_; }
  void stop(Status why) { trouble_ = std::move(why); }
  Status take_trouble() { return std::exchange(trouble_, {}); }
  // An operation on this member's memory did not succeed. Memory that is no longer there went with its group, or with its rank.
  void note(Status status, Rank rank);
  // False: it did not succeed, now (then this wire is crowded) or at all.
  bool accept(Status status, const core::MemberMemory& target);
  // Of combining, here or at another member: the collective goes to its end without a result.
  const Status& failure() const { return failure_; }
  const Reason& reason() const { return reason_; }
  void fail(const Status& why);
  void hear_of_failure(Rank from, Code code, const std::byte* content);
  Status take_failure() { return std::exchange(failure_, {}); }
  // A letter of `from` has so many bytes instead.
  void refuse(Rank from, std::size_t expected, std::size_t bytes);
  // Of a member that could not be reached by this patient step.
  const Status& why_unreachable() const { return why_unreachable_; }

  // ---- what the step waits for; any thread may look ----
  // A place, or a member of the group.
  void await(Rank place) { awaited_.store(member(place), std::memory_order_relaxed); }
  void await_nobody() { awaited_.store(kNobody, std::memory_order_relaxed); }
  std::optional<Rank> awaited() const { return as_member(awaited_); }
  void lose(Rank place) { lost_.store(member(place), std::memory_order_relaxed); }
  std::optional<Rank> lost() const { return as_member(lost_); }
  // Nothing will ring when there is what is lacked.
  void crowd(bool is_crowded = true) { crowded_.store(is_crowded, std::memory_order_relaxed); }
  bool crowded() const { return crowded_.load(std::memory_order_relaxed); }

 private:
  static constexpr Rank kNobody = ~Rank{0};
  static std::optional<Rank> as_member(const std::atomic<Rank>& one) {
    const Rank member = one.load(std::memory_order_relaxed);
    return member == kNobody ? std::nullopt : std::optional<Rank>(member);
  }
  bool find(core::MemberMemory& memory, Rank place);

  const std::span<const Rank> places_;
  const Rank size_;
  CallRecord call_;
  std::uint32_t print_ = 0;
  Status trouble_, failure_;
  Reason reason_;  // of a failure, as letters tell it
  bool patient_ = false;
  bool any_gone_ = true;            // of this wire, or about to go, as of
  std::uint64_t as_of_ = kUnknown;  // so many changes of what this rank knows of states
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  std::vector<Rank> unreachable_;  // ranks to which a letter of this patient step could not be sent
  Status why_unreachable_;
  std::atomic<Rank> awaited_{kNobody};
  std::atomic<Rank> lost_{kNobody};
  std::atomic<bool> crowded_{false};
};

}  // namespace polder::coll
