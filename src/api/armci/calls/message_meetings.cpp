// armci_msg: barriers, broadcasts, and the shape of trees.
#include "api/armci/collective/collectives.hpp"
#include "api/armci/job/context.hpp"
#include "api/armci/job/error.hpp"
#include "api/armci/job/group.hpp"
#include "api/armci/job/traced.hpp"
#include "api/armci/symbols.hpp"

#include <string>

using namespace polder;
using namespace polder::armci;

namespace {

void meet(const char* call, const Team* team) {
  if (team == nullptr)
    failed(call, not_a_member());
  else
    (void)outcome(call, current()->barrier(*team));
}

Status broadcast_in(Result<Participation> mine, void* buffer, int len, int root) {
  if (!mine.ok()) return std::move(mine).status();
  if (len < 0) return {Code::invalid_size, std::to_string(len) + " bytes"};
  if (mine->team == nullptr || len == 0) return {};
  if (buffer == nullptr) return {Code::invalid_argument, "the buffer is NULL"};
  return broadcast(*current(), *mine->team, root, {static_cast<std::byte*>(buffer), std::size_t(len)});
}

void broadcast_in_scope(const char* call, int scope, void* buffer, int len, int root) {
  if (current() == nullptr)
    failed_outside(call);
  else
    (void)outcome(call, broadcast_in(team_of_scope(*current(), scope, *current()->world), buffer, len, root));
}

void broadcast_in_group(const char* call, int scope, void* buffer, int len, int root, const ARMCI_Group* group) {
  if (current() == nullptr) {
    failed_outside(call);
    return;
  }
  const auto team = team_of(group);
  (void)outcome(call, team == nullptr ? not_a_member()
                                      : broadcast_in(team_of_scope(*current(), scope, *team), buffer, len, root));
}

// From one member of the group to the next few. They need not be a group themselves, so each gets it from the first.
Status broadcast_among(Team& group, void* buffer, int len, int first, int count) {
  Context& context = *current();
  if (first < 0 || count < 1 || first + count > int(group.size()))
    return {Code::invalid_argument, std::to_string(count) + " members from " + std::to_string(first)};
  if (len < 0) return {Code::invalid_size, std::to_string(len) + " bytes"};
  const int me = group.rank();
  if (me < first || me >= first + count || len == 0) return {};
  static constexpr int kTag = 0x706f;
  const std::span<std::byte> bytes(static_cast<std::byte*>(buffer), std::size_t(len));
  if (me != first) return context.mpi().receive(kTag, bytes, Rank(group.absolute(first))).status();
  for (int member = first + 1; member < first + count; ++member)
    if (Status status = context.mpi().send(kTag, bytes, Rank(group.absolute(member))); !status.ok()) return status;
  return {};
}

// A binary tree over the members of a team, by rank of the job.
void describe_tree(const Team& team, int* root, int* up, int* left, int* right) {
  const int me = team.rank(), size = int(team.size());
  const auto rank_of = [&](int member) { return member < 0 || member >= size ? -1 : team.absolute(member); };
  *root = team.absolute(0);
  *up = me == 0 ? -1 : rank_of((me - 1) / 2);
  *left = rank_of(2 * me + 1);
  *right = rank_of(2 * me + 2);
}

}  // namespace

extern "C" {

void parmci_msg_barrier(void) {
  const TracedArmciCall traced(ArmciCall::msg_barrier, {});
  if (current() == nullptr)
    failed_outside("armci_msg_barrier");
  else
    meet("armci_msg_barrier", current()->world.get());
}
[[gnu::weak, gnu::alias("parmci_msg_barrier")]] decltype(parmci_msg_barrier) armci_msg_barrier;

void parmci_msg_group_barrier(ARMCI_Group* group) {
  const TracedArmciCall traced(ArmciCall::msg_group_barrier, {});
  if (current() == nullptr)
    failed_outside("armci_msg_group_barrier");
  else
    meet("armci_msg_group_barrier", team_of(group).get());
}
[[gnu::weak, gnu::alias("parmci_msg_group_barrier")]] decltype(parmci_msg_group_barrier) armci_msg_group_barrier;

void parmci_msg_bintree(int scope, int* Root, int* Up, int* Left, int* Right) {
  if (current() == nullptr) {
    failed_outside("armci_msg_bintree");
    return;
  }
  const auto mine = team_of_scope(*current(), scope, *current()->world);
  if (!mine.ok()) {
    failed("armci_msg_bintree", mine.status());
    return;
  }
  *Root = scope == SCOPE_MASTERS ? 0 : int(current()->rank());
  *Up = *Left = *Right = -1;
  if (mine->team != nullptr) describe_tree(*mine->team, Root, Up, Left, Right);
}
[[gnu::weak, gnu::alias("parmci_msg_bintree")]] decltype(parmci_msg_bintree) armci_msg_bintree;

void parmci_msg_bcast(void* buffer, int len, int root) {
  const TracedArmciCall traced(ArmciCall::msg_bcast, {.peer = door_rank(root), .bytes = door_bytes(len)});
  broadcast_in_scope("armci_msg_bcast", SCOPE_ALL, buffer, len, root);
}
[[gnu::weak, gnu::alias("parmci_msg_bcast")]] decltype(parmci_msg_bcast) armci_msg_bcast;

void parmci_msg_brdcst(void* buffer, int len, int root) {
  const TracedArmciCall traced(ArmciCall::msg_brdcst, {.peer = door_rank(root), .bytes = door_bytes(len)});
  broadcast_in_scope("armci_msg_brdcst", SCOPE_ALL, buffer, len, root);
}
[[gnu::weak, gnu::alias("parmci_msg_brdcst")]] decltype(parmci_msg_brdcst) armci_msg_brdcst;

void parmci_msg_bcast_scope(int scope, void* buffer, int len, int root) {
  const TracedArmciCall traced(ArmciCall::msg_bcast_scope, {.peer = door_rank(root), .bytes = door_bytes(len)});
  broadcast_in_scope("armci_msg_bcast_scope", scope, buffer, len, root);
}
[[gnu::weak, gnu::alias("parmci_msg_bcast_scope")]] decltype(parmci_msg_bcast_scope) armci_msg_bcast_scope;

void parmci_msg_group_bcast_scope(int scope, void* buf, int len, int root, ARMCI_Group* group) {
  const TracedArmciCall traced(ArmciCall::msg_group_bcast_scope, {.peer = door_rank(root), .bytes = door_bytes(len)});
  broadcast_in_group("armci_msg_group_bcast_scope", scope, buf, len, root, group);
}
[[gnu::weak,
  gnu::alias("parmci_msg_group_bcast_scope")]] decltype(parmci_msg_group_bcast_scope) armci_msg_group_bcast_scope;

void parmci_msg_clus_brdcst(void* buf, int len) {
  const TracedArmciCall traced(ArmciCall::msg_clus_brdcst, {.bytes = door_bytes(len)});
  const Context* const context = current();
  if (context == nullptr) {
    failed_outside("armci_msg_clus_brdcst");
    return;
  }
  const int first = context->nodes.rank_of(context->nodes.node_of(int(context->rank())), 0);
  broadcast_in_scope("armci_msg_clus_brdcst", SCOPE_NODE, buf, len, first);
}
[[gnu::weak, gnu::alias("parmci_msg_clus_brdcst")]] decltype(parmci_msg_clus_brdcst) armci_msg_clus_brdcst;

void parmci_grp_clus_brdcst(void* buf, int len, int grp_master, int grp_clus_nproc, ARMCI_Group* mastergroup) {
  const TracedArmciCall traced(ArmciCall::grp_clus_brdcst, {.bytes = door_bytes(len)});
  if (current() == nullptr) {
    failed_outside("armci_grp_clus_brdcst");
    return;
  }
  const auto team = team_of(mastergroup);
  (void)outcome("armci_grp_clus_brdcst",
                team == nullptr ? not_a_member() : broadcast_among(*team, buf, len, grp_master, grp_clus_nproc));
}
[[gnu::weak, gnu::alias("parmci_grp_clus_brdcst")]] decltype(parmci_grp_clus_brdcst) armci_grp_clus_brdcst;

}  // extern "C"
