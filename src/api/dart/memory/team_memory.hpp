// Collective allocations and registrations: segments that all members number alike.
#pragma once

#include "api/dart/atomic/service.hpp"
#include "api/dart/job/team.hpp"
#include "api/dart/memory/segment_table.hpp"

#include <polder/allocation.hpp>
#include <polder/runtime.hpp>
#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace polder::dart {

// The parts of a committed allocation over the team's group, made with AllocationSpec::gather. Waits only where a
// segment is met for the first time.
Result<std::unique_ptr<DartSegment>> segment_of(Runtime& runtime, const DartTeam& team, const Allocation& allocation);

// Collective over the team: zeroed memory, of any size at each. Its number, above 0.
Result<std::int16_t> allocate_in(Runtime& runtime, DartTeam& team, std::size_t bytes);
// Collective: when it returns, every member has called it, and nothing that a member posted to it is under way.
Status free_in(AtomicService& atomics, DartTeam& team, std::int16_t id);

// Waits until this unit's accumulates to members have ended: before memory of the team goes, since they would reach what
// comes after it. Those of other members have ended when the members have met after that. Returns what became of them.
Status flush_members(AtomicService& atomics, const DartTeam& team);

// Collective over the team: offers memory of the caller. Its number, below 0, free at all members.
Result<std::int16_t> register_in(Runtime& runtime, AtomicService& atomics, DartTeam& team, void* memory,
                                 std::size_t bytes);
// This unit's part alone. Accumulates of others that come later are refused. Returns what became of its own, whose ends it waits for.
Status deregister_in(AtomicService& atomics, DartTeam& team, std::int16_t id);

}  // namespace polder::dart
