// A team: its members, its segments, and what hangs on it.
#pragma once

#include "api/dart/locality/team_locality.hpp"
#include "api/dart/memory/segment_table.hpp"
#include "api/dart/symbols.hpp"

#include <polder/group.hpp>
#include <polder/types.hpp>

#include <cassert>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace polder::dart {

class TeamLock;

class DartTeam {
 public:
  // `group`: of its members; null for the team of all units, whose group is `world`.
  DartTeam(dart_team_t id, Group& world, std::unique_ptr<Group> group)
      : id_(id), own_(std::move(group)), group_(own_ != nullptr ? *own_ : world), index_(group_.index()) {}
  ~DartTeam();  // waits for nobody
  DartTeam(const DartTeam&) = delete;
  DartTeam& operator=(const DartTeam&) = delete;

  dart_team_t id() const { return id_; }
  Group& group() const { return group_; }
  dart_unit_t size() const { return dart_unit_t(group_.size()); }
  dart_unit_t me() const { return dart_unit_t(index_); }
  bool has(dart_unit_t unit) const { return unit >= 0 && unit < size(); }
  // REQUIRES: has(unit).
  Rank rank(dart_unit_t unit) const {
    assert(has(unit));
    return group_.absolute(Rank(unit));
  }

  // Locks that end with the team, if not before.
  void keep(std::shared_ptr<TeamLock> lock);
  void forget(const TeamLock& lock);

  TeamSegmentTable segments;
  std::unique_ptr<TeamLocality> locality;  // null: nobody has asked for it

 private:
  const dart_team_t id_;
  std::unique_ptr<Group> own_;
  Group& group_;
  const Rank index_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<TeamLock>> locks_;
};

}  // namespace polder::dart
