// A collective as those see it who drive it: which call, over which lane, and whom it needs.
#pragma once

#include "coll/drive/lanes.hpp"
#include "coll/lane/call_record.hpp"
#include "coll/port/elements.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

namespace polder::coll {

// Who has to live. All: consistent collectives, which a death of any member ends. Awaited: only those whose letters a
// member needs. Reached: those whom it sends letters or who send it some, all in one step; it goes on without the dead until
// all else has come and gone, and then fails at this member only, while the group lives on.
enum class Living : std::uint8_t { all, awaited, reached };

// What a task goes over: what it leaves out is not made ready for it.
enum class Over : std::uint8_t { wires_and_node, wires, node };

struct DrivenCall {
  // queued: it has its number, and those before it on its lane have not ended.
  enum class Stage : std::uint8_t { idle, queued, running, ended };

  CallRecord record;
  Elements elements;
  Living living = Living::all;
  Over over = Over::wires_and_node;
  Lanes* lanes = nullptr;  // of its group; null: none was ever to begin
  Lane* lane = nullptr;
  std::atomic<Stage> stage{Stage::idle};  // from queued on changed by whoever drives the lane

  bool is_at(Stage one) const { return stage.load(std::memory_order_acquire) == one; }
  bool is_running() const { return is_at(Stage::running); }
  bool goes_over_wires() const { return over != Over::node; }
  // Null: the task does not go over it, or there is none.
  LaneNode* node() const { return over != Over::wires && lane->node ? &*lane->node : nullptr; }
  LaneGround& ground() const { return lanes->ground(); }
  std::span<const Rank> ranks() const { return ground().ranks(); }
  unsigned lane_number() const { return unsigned(record.number % Lanes::kLanes); }
  // The member of the group whose letter, or whose room for one, is lacked.
  std::optional<Rank> awaited() const {
    if (!is_running() || !goes_over_wires()) return {};
    if (const auto member = lane->wire.awaited()) return member;
    return lane->row ? lane->row->awaited() : std::nullopt;
  }
  // A member that is gone, and whose letters are all that is left of a call that goes on without it. Not of the call before it on its lane.
  std::optional<Rank> lost() const { return is_running() && goes_over_wires() ? lane->wire.lost() : std::nullopt; }
};

}  // namespace polder::coll
