#include "api/dart/memory/team_memory.hpp"

#include "api/dart/job/wrong_argument.hpp"

#include <polder/collective.hpp>

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace polder::dart {
namespace {

// Fills in where this unit may load and store the parts.
Status find_direct(Runtime& runtime, DartSegment& segment) {
  for (SegmentPart& part : segment.parts) {
    if (part.id == kAnySegment || part.size == 0) continue;
    auto direct = runtime.direct_pointer(GlobalAddress{part.rank, part.id, 0});
    if (!direct.ok()) return std::move(direct).status();
    part.direct = *direct;
  }
  return {};
}

// Collective: the lowest number from which on all members agree that it is free. Members may have freed different
// numbers, so each proposes its lowest free one; the largest proposal is where to look next. Two rounds as a rule.
Result<std::int16_t> agree_on_registered(DartTeam& team) {
  for (std::int64_t first = 1;;) {
    const auto lowest = team.segments.lowest_registered(std::int16_t(first));
    const std::int64_t mine = lowest ? *lowest : 32768;
    const std::array<std::int64_t, 2> proposals{mine, -mine};
    std::array<std::int64_t, 2> most{};
    Status status =
        allreduce(team.group(), Reduction::max, DataType::int64, proposals.data(), most.data(), 2, Timeout::block());
    if (!status.ok()) return status;
    if (most[0] > 32767) return Status(Code::limit, "32767 segments are registered in " + team_text(team.id()));
    if (most[0] == -most[1]) return std::int16_t(-most[0]);
    first = most[0];
  }
}

// What members tell each other about their parts.
struct RegisteredPart {
  std::uint64_t size;
  SegmentId id;
  std::uint32_t code;  // of the member's attempt
  std::uint32_t serial;
  std::uint32_t unused;
};

Status gather_parts(DartTeam& team, const RegisteredPart& mine, std::vector<RegisteredPart>& all) {
  all.resize(team.group().size());
  return team.group().allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)),
                                Timeout::block());
}

}  // namespace

Result<std::unique_ptr<DartSegment>> segment_of(Runtime& runtime, const DartTeam& team, const Allocation& allocation) {
  auto segment = std::make_unique<DartSegment>(team.group().size());
  for (std::size_t unit = 0; unit < segment->parts.size(); ++unit)
    segment->parts[unit] = {team.rank(dart_unit_t(unit)), allocation.id(), allocation.contributions()[unit].size,
                            nullptr};
  if (Status status = find_direct(runtime, *segment); !status.ok()) return status;
  return segment;
}

Result<std::int16_t> allocate_in(Runtime& runtime, DartTeam& team, std::size_t bytes) {
  const auto id = team.segments.next_id();
  if (!id) return Status(Code::limit, "32767 segments are alive in " + team_text(team.id()));
  auto allocation = runtime.allocate(team.group(), {.size = bytes, .gather = true}, Timeout::block());
  if (!allocation.ok()) {
    team.segments.give_back(*id);
    return std::move(allocation).status();
  }
  auto segment = segment_of(runtime, team, **allocation);
  if (!segment.ok()) return std::move(segment).status();
  (*segment)->allocation = *std::move(allocation);
  team.segments.put(*id, *std::move(segment));
  return *id;
}

Status free_in(AtomicService& atomics, DartTeam& team, std::int16_t id) {
  auto segment = team.segments.remove(id);
  if (segment == nullptr || segment->allocation == nullptr)
    return {Code::invalid_segment, "segment " + std::to_string(id) + " of " + team_text(team.id())};
  // Accumulates are messages, of which the runtime does not know that they go to this memory.
  Status told = flush_members(atomics, team);
  Status status = segment->allocation->free(Timeout::block());  // whatever became of them, the others come, too
  return status.ok() ? told : status;
}

Status flush_members(AtomicService& atomics, const DartTeam& team) {
  Status first;
  for (const Rank rank : team.group().ranks())
    if (Status status = atomics.flush(rank); first.ok()) first = std::move(status);
  return first;
}

Result<std::int16_t> register_in(Runtime& runtime, AtomicService& atomics, DartTeam& team, void* memory,
                                 std::size_t bytes) {
  auto id = agree_on_registered(team);
  if (!id.ok()) return id;
  auto segment = std::make_unique<DartSegment>(team.group().size());
  Status mine;
  std::uint32_t serial = 0;
  if (bytes > 0) {
    auto made = memory == nullptr ? Result<Segment>(null_argument("addr"))
                                  : runtime.create_segment({.size = bytes, .notifications = 0, .memory = memory});
    if (made.ok()) {
      segment->registrar = &runtime;
      segment->registered = made->id;
      serial = atomics.offer(made->id);
    }
    mine = made.status();
  }
  std::vector<RegisteredPart> all;
  Status status = gather_parts(team, {bytes, segment->registered, std::uint32_t(mine.code()), serial, 0}, all);
  if (!status.ok()) return status;
  if (!mine.ok()) return mine;
  for (std::size_t unit = 0; unit < all.size(); ++unit) {
    if (all[unit].code != 0)
      return Status(Code(all[unit].code), unit_text(dart_unit_t(unit), team.id()) + " could not register its memory");
    segment->parts[unit] = {team.rank(dart_unit_t(unit)), all[unit].id, all[unit].size, nullptr, all[unit].serial};
  }
  if (status = find_direct(runtime, *segment); !status.ok()) return status;
  team.segments.put(*id, std::move(segment));
  return *id;
}

Status deregister_in(AtomicService& atomics, DartTeam& team, std::int16_t id) {
  Status told = flush_members(atomics, team);
  const auto segment = team.segments.remove(id);
  if (segment != nullptr && segment->registered != kAnySegment) atomics.withdraw(segment->registered);
  return told;
}

}  // namespace polder::dart
