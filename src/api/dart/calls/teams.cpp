// Teams: what units agree on, and their numbers in them.
#include "api/dart/job/epoch.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/job/traced.hpp"
#include "api/dart/job/unit_set.hpp"
#include "api/dart/memory/team_memory.hpp"
#include "api/dart/symbols.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

using namespace polder;
using namespace polder::dart;

namespace {

// Collective over the parent; nothing: this unit is none of `members`.
Result<dart_team_t> create_team(DartEpoch& epoch, dart_team_t parent_id, std::span<const Rank> members) {
  DartTeam* const parent = epoch.team(parent_id);
  if (parent == nullptr) return no_such_team(parent_id);
  auto id = epoch.agree_on_id(*parent);
  if (!id.ok()) return id;
  const bool in = std::ranges::find(members, epoch.runtime().rank()) != members.end();
  if (!in) return DART_TEAM_NULL;
  for (const Rank member : members)
    if (!parent->group().relative(member))
      return Status(Code::invalid_rank, "unit " + std::to_string(member) + " is not in " + team_text(parent_id));
  // Other threads may make teams of the same members now.
  auto group = epoch.runtime().create_group(members, std::uint64_t(*id));
  if (!group.ok()) return std::move(group).status();
  if (Status status = (*group)->commit(Timeout::block()); !status.ok()) return status;
  epoch.add(std::make_unique<DartTeam>(*id, epoch.runtime().world(), *std::move(group)));
  return *id;
}

dart_ret_t make_team(const char* call, dart_team_t parent, std::span<const Rank> members, dart_team_t* newteam) {
  if (newteam == nullptr) return refused(call, null_argument("newteam"));
  *newteam = DART_TEAM_NULL;
  if (current_epoch() == nullptr) return refused_outside(call);
  auto made = create_team(*current_epoch(), parent, members);
  if (!made.ok()) return refused(call, made.status());
  *newteam = *made;
  return DART_OK;
}

DartTeam* find_team(dart_team_t id) {
  const DartEpoch* const epoch = current_epoch();
  return epoch == nullptr ? nullptr : epoch->team(id);
}

}  // namespace

extern "C" {

dart_ret_t dart_team_get_group(dart_team_t teamid, dart_group_t* group) {
  return guarded("dart_team_get_group", [&] {
    if (group == nullptr) return refused("dart_team_get_group", null_argument("group"));
    *group = DART_GROUP_NULL;
    const DartTeam* const team = find_team(teamid);
    if (team == nullptr) return refused("dart_team_get_group", no_such_team(teamid));
    const auto ranks = team->group().ranks();
    *group = std::make_unique<dart_group_struct>(dart_group_struct{{ranks.begin(), ranks.end()}}).release();
    return DART_OK;
  });
}

dart_ret_t dart_team_create(dart_team_t teamid, dart_group_t group, dart_team_t* newteam) {
  const TracedDartCall traced(DartCall::team_create);
  return guarded("dart_team_create", [&] {
    const std::span<const Rank> members = group == nullptr ? std::span<const Rank>() : std::span(group->members);
    return make_team("dart_team_create", teamid, members, newteam);
  });
}

dart_ret_t dart_team_clone(dart_team_t team, dart_team_t* newteam) {
  const TracedDartCall traced(DartCall::team_clone);
  return guarded("dart_team_clone", [&] {
    const DartTeam* const from = find_team(team);
    return make_team("dart_team_clone", team, from == nullptr ? std::span<const Rank>() : from->group().ranks(),
                     newteam);
  });
}

dart_ret_t dart_team_destroy(dart_team_t* teamid) {
  const TracedDartCall traced(DartCall::team_destroy);
  return guarded("dart_team_destroy", [&] {
    if (teamid == nullptr) return refused("dart_team_destroy", null_argument("teamid"));
    if (*teamid == DART_TEAM_NULL) return DART_OK;
    if (*teamid == DART_TEAM_ALL || find_team(*teamid) == nullptr)
      return refused("dart_team_destroy", no_such_team(*teamid));
    DartEpoch& epoch = *current_epoch();
    DartTeam& team = *epoch.team(*teamid);
    const Status told = flush_members(epoch.unit().atomics, team);
    // Those of the others have ended when they are here: one that still came would find other memory of the same number.
    Status status = team.group().barrier(Timeout::block());
    epoch.remove(*teamid);
    *teamid = DART_TEAM_NULL;
    return outcome("dart_team_destroy", status.ok() ? told : status);
  });
}

dart_ret_t dart_team_myid(dart_team_t teamid, dart_team_unit_t* myid) {
  if (myid == nullptr) return refused("dart_team_myid", null_argument("myid"));
  const DartTeam* const team = find_team(teamid);
  myid->id = team == nullptr ? DART_UNDEFINED_UNIT_ID : team->me();
  return team == nullptr ? DART_ERR_INVAL : DART_OK;
}

dart_ret_t dart_team_size(dart_team_t teamid, size_t* size) {
  if (size == nullptr) return refused("dart_team_size", null_argument("size"));
  const DartTeam* const team = find_team(teamid);
  *size = team == nullptr ? 0 : team->group().size();
  return team == nullptr ? DART_ERR_INVAL : DART_OK;
}

dart_ret_t dart_myid(dart_global_unit_t* myid) {
  const DartEpoch* const epoch = current_epoch();
  myid->id = epoch == nullptr ? DART_UNDEFINED_UNIT_ID : dart_unit_t(epoch->runtime().rank());
  return epoch == nullptr ? DART_ERR_OTHER : DART_OK;
}

dart_ret_t dart_size(size_t* size) {
  const DartEpoch* const epoch = current_epoch();
  *size = epoch == nullptr ? 0 : epoch->runtime().size();
  return epoch == nullptr ? DART_ERR_OTHER : DART_OK;
}

dart_ret_t dart_team_unit_l2g(dart_team_t team, dart_team_unit_t localid, dart_global_unit_t* globalid) {
  if (globalid == nullptr) return refused("dart_team_unit_l2g", null_argument("globalid"));
  globalid->id = DART_UNDEFINED_UNIT_ID;
  const DartTeam* const found = find_team(team);
  if (found == nullptr) return refused("dart_team_unit_l2g", no_such_team(team));
  if (!found->has(localid.id)) return refused("dart_team_unit_l2g", no_such_unit(localid.id, team));
  globalid->id = dart_unit_t(found->rank(localid.id));
  return DART_OK;
}

dart_ret_t dart_team_unit_g2l(dart_team_t team, dart_global_unit_t globalid, dart_team_unit_t* localid) {
  if (localid == nullptr) return refused("dart_team_unit_g2l", null_argument("localid"));
  localid->id = DART_UNDEFINED_UNIT_ID;
  const DartTeam* const found = find_team(team);
  if (found == nullptr) return refused("dart_team_unit_g2l", no_such_team(team));
  if (globalid.id < 0) return DART_OK;
  if (const auto place = found->group().relative(Rank(globalid.id))) localid->id = dart_unit_t(*place);
  return DART_OK;
}

}  // extern "C"
