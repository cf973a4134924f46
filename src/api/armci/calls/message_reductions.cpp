// armci_msg: reductions and selections, one call for each type and each set of ranks.
#include "api/armci/collective/collectives.hpp"
#include "api/armci/job/context.hpp"
#include "api/armci/job/error.hpp"
#include "api/armci/job/group.hpp"
#include "api/armci/job/traced.hpp"
#include "api/armci/symbols.hpp"

#include <string>
#include <utility>

using namespace polder;
using namespace polder::armci;

namespace {

struct Values {
  void* x;
  int count;
  const char* op;
  int type;
};

Status reduce_in(Result<Participation> mine, const Values& values) {
  if (!mine.ok()) return std::move(mine).status();
  if (mine->alone) return reduce_alone(values.x, values.count, values.op, values.type);
  if (mine->team == nullptr) return {};
  return reduce_to_all(*current(), *mine->team, values.x, values.count, values.op, values.type);
}

Status select_in(Result<Participation> mine, const Values& values, bool contribute) {
  if (!mine.ok()) return std::move(mine).status();
  if (values.count < 0) return {Code::invalid_size, std::to_string(values.count) + " bytes"};
  const Selection selection{.bytes = {static_cast<std::byte*>(values.x), std::size_t(values.count)},
                            .op = values.op,
                            .type = values.type,
                            .contribute = contribute};
  if (mine->alone) return check(selection);
  return mine->team == nullptr ? Status() : select(*current(), *mine->team, selection);
}

void reduce_in_scope(const char* call, int scope, const Values& values) {
  if (current() == nullptr)
    failed_outside(call);
  else
    (void)outcome(call, reduce_in(team_of_scope(*current(), scope, *current()->world), values));
}

void reduce_in_group(const char* call, int scope, const ARMCI_Group* group, const Values& values) {
  if (current() == nullptr) {
    failed_outside(call);
    return;
  }
  const auto team = team_of(group);
  (void)outcome(call, team == nullptr ? not_a_member() : reduce_in(team_of_scope(*current(), scope, *team), values));
}

void select_in_scope(const char* call, int scope, const Values& values, int contribute) {
  if (current() == nullptr)
    failed_outside(call);
  else
    (void)outcome(call, select_in(team_of_scope(*current(), scope, *current()->world), values, contribute != 0));
}

}  // namespace

extern "C" {

void parmci_msg_gop_scope(int scope, void* x, int n, char* op, int type) {
  const TracedArmciCall traced(ArmciCall::msg_gop_scope, {});
  reduce_in_scope("armci_msg_gop_scope", scope, {x, n, op, type});
}
[[gnu::weak, gnu::alias("parmci_msg_gop_scope")]] decltype(parmci_msg_gop_scope) armci_msg_gop_scope;

void parmci_msg_igop(int* x, int n, char* op) {
  const TracedArmciCall traced(ArmciCall::msg_igop, {});
  reduce_in_scope("armci_msg_igop", SCOPE_ALL, {x, n, op, ARMCI_INT});
}
[[gnu::weak, gnu::alias("parmci_msg_igop")]] decltype(parmci_msg_igop) armci_msg_igop;

void parmci_msg_lgop(long* x, int n, char* op) {
  const TracedArmciCall traced(ArmciCall::msg_lgop, {});
  reduce_in_scope("armci_msg_lgop", SCOPE_ALL, {x, n, op, ARMCI_LONG});
}
[[gnu::weak, gnu::alias("parmci_msg_lgop")]] decltype(parmci_msg_lgop) armci_msg_lgop;

void parmci_msg_llgop(long long* x, int n, char* op) {
  const TracedArmciCall traced(ArmciCall::msg_llgop, {});
  reduce_in_scope("armci_msg_llgop", SCOPE_ALL, {x, n, op, ARMCI_LONG_LONG});
}
[[gnu::weak, gnu::alias("parmci_msg_llgop")]] decltype(parmci_msg_llgop) armci_msg_llgop;

void parmci_msg_fgop(float* x, int n, char* op) {
  const TracedArmciCall traced(ArmciCall::msg_fgop, {});
  reduce_in_scope("armci_msg_fgop", SCOPE_ALL, {x, n, op, ARMCI_FLOAT});
}
[[gnu::weak, gnu::alias("parmci_msg_fgop")]] decltype(parmci_msg_fgop) armci_msg_fgop;

void parmci_msg_dgop(double* x, int n, char* op) {
  const TracedArmciCall traced(ArmciCall::msg_dgop, {});
  reduce_in_scope("armci_msg_dgop", SCOPE_ALL, {x, n, op, ARMCI_DOUBLE});
}
[[gnu::weak, gnu::alias("parmci_msg_dgop")]] decltype(parmci_msg_dgop) armci_msg_dgop;

void parmci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group) {
  const TracedArmciCall traced(ArmciCall::msg_group_gop_scope, {});
  reduce_in_group("armci_msg_group_gop_scope", scope, group, {x, n, op, type});
}
[[gnu::weak, gnu::alias("parmci_msg_group_gop_scope")]] decltype(parmci_msg_group_gop_scope) armci_msg_group_gop_scope;

void parmci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group) {
  const TracedArmciCall traced(ArmciCall::msg_group_igop, {});
  reduce_in_group("armci_msg_group_igop", SCOPE_ALL, group, {x, n, op, ARMCI_INT});
}
[[gnu::weak, gnu::alias("parmci_msg_group_igop")]] decltype(parmci_msg_group_igop) armci_msg_group_igop;

void parmci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group) {
  const TracedArmciCall traced(ArmciCall::msg_group_lgop, {});
  reduce_in_group("armci_msg_group_lgop", SCOPE_ALL, group, {x, n, op, ARMCI_LONG});
}
[[gnu::weak, gnu::alias("parmci_msg_group_lgop")]] decltype(parmci_msg_group_lgop) armci_msg_group_lgop;

void parmci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group) {
  const TracedArmciCall traced(ArmciCall::msg_group_llgop, {});
  reduce_in_group("armci_msg_group_llgop", SCOPE_ALL, group, {x, n, op, ARMCI_LONG_LONG});
}
[[gnu::weak, gnu::alias("parmci_msg_group_llgop")]] decltype(parmci_msg_group_llgop) armci_msg_group_llgop;

void parmci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group) {
  const TracedArmciCall traced(ArmciCall::msg_group_fgop, {});
  reduce_in_group("armci_msg_group_fgop", SCOPE_ALL, group, {x, n, op, ARMCI_FLOAT});
}
[[gnu::weak, gnu::alias("parmci_msg_group_fgop")]] decltype(parmci_msg_group_fgop) armci_msg_group_fgop;

void parmci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group) {
  const TracedArmciCall traced(ArmciCall::msg_group_dgop, {});
  reduce_in_group("armci_msg_group_dgop", SCOPE_ALL, group, {x, n, op, ARMCI_DOUBLE});
}
[[gnu::weak, gnu::alias("parmci_msg_group_dgop")]] decltype(parmci_msg_group_dgop) armci_msg_group_dgop;

void parmci_msg_clus_igop(int* x, int n, char* op) {
  const TracedArmciCall traced(ArmciCall::msg_clus_igop, {});
  reduce_in_scope("armci_msg_clus_igop", SCOPE_NODE, {x, n, op, ARMCI_INT});
}
[[gnu::weak, gnu::alias("parmci_msg_clus_igop")]] decltype(parmci_msg_clus_igop) armci_msg_clus_igop;

void parmci_msg_clus_lgop(long* x, int n, char* op) {
  const TracedArmciCall traced(ArmciCall::msg_clus_lgop, {});
  reduce_in_scope("armci_msg_clus_lgop", SCOPE_NODE, {x, n, op, ARMCI_LONG});
}
[[gnu::weak, gnu::alias("parmci_msg_clus_lgop")]] decltype(parmci_msg_clus_lgop) armci_msg_clus_lgop;

void parmci_msg_clus_llgop(long long* x, int n, char* op) {
  const TracedArmciCall traced(ArmciCall::msg_clus_llgop, {});
  reduce_in_scope("armci_msg_clus_llgop", SCOPE_NODE, {x, n, op, ARMCI_LONG_LONG});
}
[[gnu::weak, gnu::alias("parmci_msg_clus_llgop")]] decltype(parmci_msg_clus_llgop) armci_msg_clus_llgop;

void parmci_msg_clus_fgop(float* x, int n, char* op) {
  const TracedArmciCall traced(ArmciCall::msg_clus_fgop, {});
  reduce_in_scope("armci_msg_clus_fgop", SCOPE_NODE, {x, n, op, ARMCI_FLOAT});
}
[[gnu::weak, gnu::alias("parmci_msg_clus_fgop")]] decltype(parmci_msg_clus_fgop) armci_msg_clus_fgop;

void parmci_msg_clus_dgop(double* x, int n, char* op) {
  const TracedArmciCall traced(ArmciCall::msg_clus_dgop, {});
  reduce_in_scope("armci_msg_clus_dgop", SCOPE_NODE, {x, n, op, ARMCI_DOUBLE});
}
[[gnu::weak, gnu::alias("parmci_msg_clus_dgop")]] decltype(parmci_msg_clus_dgop) armci_msg_clus_dgop;

void parmci_msg_reduce(void* x, int n, char* op, int type) {
  const TracedArmciCall traced(ArmciCall::msg_reduce, {});
  reduce_in_scope("armci_msg_reduce", SCOPE_ALL, {x, n, op, type});
}
[[gnu::weak, gnu::alias("parmci_msg_reduce")]] decltype(parmci_msg_reduce) armci_msg_reduce;

void parmci_msg_reduce_scope(int scope, void* x, int n, char* op, int type) {
  const TracedArmciCall traced(ArmciCall::msg_reduce_scope, {});
  reduce_in_scope("armci_msg_reduce_scope", scope, {x, n, op, type});
}
[[gnu::weak, gnu::alias("parmci_msg_reduce_scope")]] decltype(parmci_msg_reduce_scope) armci_msg_reduce_scope;

void parmci_msg_sel(void* x, int n, char* op, int type, int contribute) {
  const TracedArmciCall traced(ArmciCall::msg_sel, {});
  select_in_scope("armci_msg_sel", SCOPE_ALL, {x, n, op, type}, contribute);
}
[[gnu::weak, gnu::alias("parmci_msg_sel")]] decltype(parmci_msg_sel) armci_msg_sel;

void parmci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute) {
  const TracedArmciCall traced(ArmciCall::msg_sel_scope, {});
  select_in_scope("armci_msg_sel_scope", scope, {x, n, op, type}, contribute);
}
[[gnu::weak, gnu::alias("parmci_msg_sel_scope")]] decltype(parmci_msg_sel_scope) armci_msg_sel_scope;

// An address is set at one rank and null at the others, so the sum is the address.
void parmci_exchange_address(void* ptr_ar[], int n) {
  const TracedArmciCall traced(ArmciCall::exchange_address, {});
  reduce_in_scope("armci_exchange_address", SCOPE_ALL, {ptr_ar, n, "+", ARMCI_LONG});
}
[[gnu::weak, gnu::alias("parmci_exchange_address")]] decltype(parmci_exchange_address) armci_exchange_address;

void parmci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group) {
  const TracedArmciCall traced(ArmciCall::exchange_address_grp, {});
  reduce_in_group("armci_exchange_address_grp", SCOPE_ALL, group, {ptr_arr, n, "+", ARMCI_LONG});
}
[[gnu::weak,
  gnu::alias("parmci_exchange_address_grp")]] decltype(parmci_exchange_address_grp) armci_exchange_address_grp;

}  // extern "C"
