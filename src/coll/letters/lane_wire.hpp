// The Wire of a runtime: letters go through cells in the memory of their readers, by stores where that is mapped, else
// by one-sided puts of any device. core/group/letter_room.hpp has the layout.
//
// User memory is never registered. What is sent is copied into a cell, by a network from where it lies; what comes is copied or combined
// out of one, and only its own rank touches the user's memory. But long letters between ranks of one machine are read where they lie if
// that is faster and their step may wait for it (letter_offers.hpp), and those between machines go past the cells (letter_window.hpp).
#pragma once

#include "coll/lane/call_record.hpp"
#include "coll/lane/lane_ground.hpp"
#include "coll/lane/scratch.hpp"
#include "coll/letters/lane_wire_state.hpp"
#include "coll/letters/letter_credits.hpp"
#include "coll/letters/letter_reader.hpp"
#include "coll/letters/letter_writer.hpp"
#include "coll/port/wire.hpp"

#include <polder/status.hpp>

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>

namespace polder::coll {

class LaneWire final : public Wire {
 public:
  // Slots of the lane from `first` on, for members in these places; none: all members of the group.
  LaneWire(Strand& strand, LaneGround& ground, unsigned lane, Slot first, std::span<const Rank> places, Rank me,
           Rank size);

  // The next collective. `patient`: letters to and from those who are gone are left until all others have come and gone.
  void begin(const CallRecord& call, const Elements& reduced, bool patient = false);

  // ---- for the driver ----
  // Why nothing can go on; taken once.
  Status take_trouble() { return state_.take_trouble(); }
  // Of combining, here or at another member: the collective goes to its end without a result.
  Status take_failure() { return state_.take_failure(); }
  // The member of the group that the last step waited for.
  std::optional<Rank> awaited() const { return state_.awaited(); }
  // Nothing but letters to and from those who are gone is left of a patient step: one of them.
  std::optional<Rank> lost() const { return state_.lost(); }
  // The last step lacks nothing but letters from and room at members of other nodes.
  bool awaits_other_nodes() const { return awaits_other_nodes_.load(std::memory_order_relaxed); }
  // A device had no room: no letter will ring when it has.
  bool crowded() const { return state_.crowded(); }
  // Credits that found no room, or wait for a letter.
  void settle() { credits_.settle(); }
  // The call ends: once this returns nobody reads letters where they lie, or writes them where they go. Waits for what is under way, a
  // few seconds at most.
  void withdraw() {
    reader_.withdraw();
    writer_.withdraw();
  }

  // ---- for those who give slots to edges; nothing is under way over these ----
  bool owes_credits_of(Slot slot) const { return credits_.owes(slot); }
  // The next member that writes to `slot`, or reads what goes over it, begins anew.
  void forget_writer(Slot slot);
  void forget_reader(Slot slot);

  void copy(void* to, const void* from, std::size_t bytes) override;
  std::byte* scratch(std::size_t bytes, bool /*steers*/) override { return scratch_.take(bytes); }
  void refuse(Rank from, std::size_t expected, std::size_t bytes) override { state_.refuse(from, expected, bytes); }
  Status failure() const override { return state_.failure(); }
  void fail(const Status& why) override { state_.fail(why); }

 private:
  bool poll(std::span<Out> outs, std::span<In> ins) override;
  bool fold(const void* one, const void* two, void* result, std::size_t bytes) override {
    return reader_.fold(one, two, result, bytes);
  }
  bool are_of_other_nodes(std::span<const Out> outs, std::span<const In> ins) const;
  void look_for_lost(std::span<const Out> outs, std::span<const In> ins);

  LaneWireState state_;
  Scratch scratch_;
  LetterCredits credits_{state_};
  LetterWriter writer_{state_, credits_};
  LetterReader reader_{state_, credits_, scratch_};
  std::atomic<bool> awaits_other_nodes_{false};
};

}  // namespace polder::coll
