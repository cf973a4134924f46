// ARMCI's groups, whose communicators are MPI's.
#include "api/armci/job/group.hpp"
#include "api/armci/job/traced.hpp"

#include "api/armci/job/context.hpp"
#include "api/armci/job/error.hpp"
#include "api/armci/mpi/program.hpp"
#include "api/armci/mpi/symbols.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace polder::armci {

std::shared_ptr<Team> team_of(const ARMCI_Group* group) {
  if (group == nullptr) return nullptr;
  const auto& teams = current()->teams;
  const auto found = teams.find(group->grp_to_abs);
  return found == teams.end() ? nullptr : found->second;
}

namespace {

struct Communicator final : Team::Attachment {
  explicit Communicator(MPI_Comm c) : comm(c) {}
  MPI_Comm comm;
};

MPI_Comm communicator_of(const Context& context, const Team& team) {
  if (team.attachment == nullptr) return static_cast<const Program&>(context.mpi()).communicator();
  return static_cast<const Communicator&>(*team.attachment).comm;
}

ARMCI_Group nobody() {
  return {MPI_COMM_NULL, MPI_COMM_NULL, nullptr, nullptr, -1, 0};
}

ARMCI_Group shown(const Context& context, Team& team) {
  return {communicator_of(context, team),
          MPI_COMM_NULL,
          team.grp_to_abs(),
          team.abs_to_grp(),
          team.rank(),
          int(team.size())};
}

Status check_list(const Team& parent, std::span<const int> list) {
  std::vector<bool> seen(parent.size(), false);
  for (const int member : list) {
    if (member < 0 || std::size_t(member) >= parent.size())
      return {Code::invalid_rank, "there is no member " + std::to_string(member) + " among the " +
                                      std::to_string(parent.size()) + " of the parent"};
    if (seen[std::size_t(member)])
      return {Code::invalid_argument, "member " + std::to_string(member) + " is in the list twice"};
    seen[std::size_t(member)] = true;
  }
  return {};
}

// Collective over the members in the list only.
Result<MPI_Comm> make_communicator(MPI_Comm parent, std::span<const int> list) {
  static constexpr int kTag = 0x706f;
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  Status status = checked(MPI_Comm_group(parent, &all), "MPI_Comm_group");
  if (status.ok()) status = checked(MPI_Group_incl(all, int(list.size()), list.data(), &some), "MPI_Group_incl");
  if (status.ok()) status = checked(MPI_Comm_create_group(parent, some, kTag, &made), "MPI_Comm_create_group");
  if (some != MPI_GROUP_NULL) MPI_Group_free(&some);
  if (all != MPI_GROUP_NULL) MPI_Group_free(&all);
  if (!status.ok()) return status;
  return made;
}

Status create(Context& context, Team& parent, std::span<const int> list, ARMCI_Group& group) {
  if (Status status = check_list(parent, list); !status.ok()) return status;
  if (std::find(list.begin(), list.end(), parent.rank()) == list.end()) return {};
  auto comm = make_communicator(communicator_of(context, parent), list);
  if (!comm.ok()) return std::move(comm).status();
  std::vector<int> ranks;
  for (const int member : list) ranks.push_back(parent.absolute(member));
  auto team = Team::make(context, std::move(ranks));
  if (!team.ok()) return std::move(team).status();
  (*team)->attachment = std::make_unique<Communicator>(*comm);
  context.teams[(*team)->grp_to_abs()] = *team;
  group = shown(context, **team);
  return {};
}

void create_in(const char* call, const std::shared_ptr<Team>& parent, int size, const int* list, ARMCI_Group* group) {
  if (group == nullptr || size < 0 || (size > 0 && list == nullptr)) {
    failed(call, {Code::invalid_argument, "a list of " + std::to_string(size) + " members, or a pointer that is NULL"});
    return;
  }
  *group = nobody();
  (void)outcome(call,
                parent == nullptr ? not_a_member() : create(*current(), *parent, {list, std::size_t(size)}, *group));
}

Status release(Context& context, ARMCI_Group& group) {
  const auto team = team_of(&group);
  if (team == nullptr) return {};
  if (team == context.world) return {Code::invalid_group, "the group of all ranks cannot be freed"};
  if (context.default_team == team) context.default_team = context.world;
  const Status left = team->leave_boards(context);
  MPI_Comm comm = communicator_of(context, *team);
  context.teams.erase(group.grp_to_abs);
  group = nobody();
  Status freed = checked(MPI_Comm_free(&comm), "MPI_Comm_free");
  return left.ok() ? freed : left;
}

}  // namespace
}  // namespace polder::armci

using namespace polder::armci;

extern "C" {

void PARMCI_Group_create(int grp_size, int* pid_list, ARMCI_Group* group_out) {
  const TracedArmciCall traced(ArmciCall::Group_create, {});
  if (current() == nullptr)
    failed_outside("ARMCI_Group_create");
  else
    create_in("ARMCI_Group_create", current()->default_team, grp_size, pid_list, group_out);
}
[[gnu::weak, gnu::alias("PARMCI_Group_create")]] decltype(PARMCI_Group_create) ARMCI_Group_create;

void PARMCI_Group_create_child(int grp_size, int* pid_list, ARMCI_Group* group_out, ARMCI_Group* group_parent) {
  const TracedArmciCall traced(ArmciCall::Group_create_child, {});
  if (current() == nullptr)
    failed_outside("ARMCI_Group_create_child");
  else
    create_in("ARMCI_Group_create_child", team_of(group_parent), grp_size, pid_list, group_out);
}
[[gnu::weak, gnu::alias("PARMCI_Group_create_child")]] decltype(PARMCI_Group_create_child) ARMCI_Group_create_child;

void PARMCI_Group_free(ARMCI_Group* group) {
  const TracedArmciCall traced(ArmciCall::Group_free, {});
  if (current() == nullptr)
    failed_outside("ARMCI_Group_free");
  else if (group != nullptr)
    (void)outcome("ARMCI_Group_free", release(*current(), *group));
}
[[gnu::weak, gnu::alias("PARMCI_Group_free")]] decltype(PARMCI_Group_free) ARMCI_Group_free;

int PARMCI_Group_rank(ARMCI_Group* group, int* rank) {
  *rank = group->rank;
  return group->rank < 0 ? 1 : 0;
}
[[gnu::weak, gnu::alias("PARMCI_Group_rank")]] decltype(PARMCI_Group_rank) ARMCI_Group_rank;

void PARMCI_Group_size(ARMCI_Group* group, int* size) {
  *size = group->size;
}
[[gnu::weak, gnu::alias("PARMCI_Group_size")]] decltype(PARMCI_Group_size) ARMCI_Group_size;

void PARMCI_Group_set_default(ARMCI_Group* group) {
  if (current() == nullptr) {
    failed_outside("ARMCI_Group_set_default");
    return;
  }
  const auto team = team_of(group);
  if (team == nullptr)
    failed("ARMCI_Group_set_default", not_a_member());
  else
    current()->default_team = team;
}
[[gnu::weak, gnu::alias("PARMCI_Group_set_default")]] decltype(PARMCI_Group_set_default) ARMCI_Group_set_default;

void PARMCI_Group_get_default(ARMCI_Group* group_out) {
  if (current() == nullptr)
    failed_outside("ARMCI_Group_get_default");
  else
    *group_out = shown(*current(), *current()->default_team);
}
[[gnu::weak, gnu::alias("PARMCI_Group_get_default")]] decltype(PARMCI_Group_get_default) ARMCI_Group_get_default;

void PARMCI_Group_get_world(ARMCI_Group* group_out) {
  if (current() == nullptr)
    failed_outside("ARMCI_Group_get_world");
  else
    *group_out = shown(*current(), *current()->world);
}
[[gnu::weak, gnu::alias("PARMCI_Group_get_world")]] decltype(PARMCI_Group_get_world) ARMCI_Group_get_world;

int PARMCI_Absolute_id(ARMCI_Group* group, int group_rank) {
  if (current() == nullptr) return -failed_outside("ARMCI_Absolute_id");
  const auto team = team_of(group);
  return team == nullptr ? -failed("ARMCI_Absolute_id", not_a_member()) : team->absolute(group_rank);
}
[[gnu::weak, gnu::alias("PARMCI_Absolute_id")]] decltype(PARMCI_Absolute_id) ARMCI_Absolute_id;

}  // extern "C"
