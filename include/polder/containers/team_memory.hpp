// Memory that the units of a team allocate together, and give back together.
#pragma once

#include <polder/containers/team.hpp>

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace polder::containers {

// Collective construction: `bytes` of this unit, zeroed, units may differ; `notifications` the same at all. Throws
// Failure with `what` in its text: some unit could not allocate, is gone, or time is up.
//
// Destruction is collective, too: it meets the others, who may still reach for this unit's memory, for as long as the
// team's timeout. It does not while an exception unwinds the stack, nor out of step (team.hpp), and not with those that have
// failed: then the memory of this unit is given back at once. Who does not come in time leaves this unit out of step. Move
// only.
class TeamMemory {
 public:
  TeamMemory(const Team& team, std::size_t bytes, std::uint32_t notifications, const std::string& what)
      : team_(team), exceptions_(std::uncaught_exceptions()) {
    const auto doing = [&] { return what + ", " + std::to_string(bytes) + " bytes"; };
    const auto allocate = [&] { return team.runtime().allocate(team.group(), {bytes, notifications}, team.timeout()); };
    allocation_ = team.take(team.in_step(doing, allocate), doing);
  }
  ~TeamMemory() {
    if (allocation_ == nullptr || std::uncaught_exceptions() > exceptions_) return;
    if (team_.group().out_of_step()) return;
    if (allocation_->free(team_.timeout()).timed_out()) team_.group().lose_step();  // the next collective says so
  }
  TeamMemory(TeamMemory&&) noexcept = default;
  TeamMemory& operator=(TeamMemory&& other) noexcept {
    std::swap(team_, other.team_);
    std::swap(exceptions_, other.exceptions_);
    allocation_.swap(other.allocation_);
    return *this;
  }

  const Team& team() const { return team_; }
  SegmentId id() const { return allocation_->id(); }
  std::byte* data() const { return allocation_->segment().data; }
  GlobalAddress at(Rank unit, std::size_t offset) const { return allocation_->at(team_.rank(unit), offset); }

 private:
  Team team_;
  int exceptions_;
  std::unique_ptr<Allocation> allocation_;
};

}  // namespace polder::containers
