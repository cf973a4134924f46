// Which ranks share a node.
#include "api/armci/job/context.hpp"
#include "api/armci/job/error.hpp"
#include "api/armci/job/group.hpp"
#include "api/armci/symbols.hpp"

using namespace polder::armci;

namespace {

// The answer of `ask`, or -1 outside of ARMCI.
template <class Ask>
int about_nodes(const char* call, Ask&& ask) {
  const Context* const context = current();
  if (context == nullptr) {
    failed_outside(call);
    return -1;
  }
  return ask(context->nodes, int(context->rank()));
}

}  // namespace

extern "C" {

int parmci_domain_nprocs(armci_domain_t, int id) {
  return about_nodes("armci_domain_nprocs",
                     [&](const Nodes& nodes, int me) { return nodes.ranks_in(id < 0 ? nodes.node_of(me) : id); });
}
[[gnu::weak, gnu::alias("parmci_domain_nprocs")]] decltype(parmci_domain_nprocs) armci_domain_nprocs;

int parmci_domain_id(armci_domain_t, int glob_proc_id) {
  return about_nodes("armci_domain_id", [&](const Nodes& nodes, int) { return nodes.node_of(glob_proc_id); });
}
[[gnu::weak, gnu::alias("parmci_domain_id")]] decltype(parmci_domain_id) armci_domain_id;

int parmci_domain_glob_proc_id(armci_domain_t, int id, int loc_proc_id) {
  return about_nodes("armci_domain_glob_proc_id",
                     [&](const Nodes& nodes, int) { return nodes.rank_of(id, loc_proc_id); });
}
[[gnu::weak, gnu::alias("parmci_domain_glob_proc_id")]] decltype(parmci_domain_glob_proc_id) armci_domain_glob_proc_id;

int parmci_domain_my_id(armci_domain_t) {
  return about_nodes("armci_domain_my_id", [](const Nodes& nodes, int me) { return nodes.node_of(me); });
}
[[gnu::weak, gnu::alias("parmci_domain_my_id")]] decltype(parmci_domain_my_id) armci_domain_my_id;

int parmci_domain_count(armci_domain_t) {
  return about_nodes("armci_domain_count", [](const Nodes& nodes, int) { return nodes.count(); });
}
[[gnu::weak, gnu::alias("parmci_domain_count")]] decltype(parmci_domain_count) armci_domain_count;

int parmci_domain_same_id(armci_domain_t, int proc) {
  return about_nodes("armci_domain_same_id",
                     [&](const Nodes& nodes, int me) { return int(nodes.node_of(proc) == nodes.node_of(me)); });
}
[[gnu::weak, gnu::alias("parmci_domain_same_id")]] decltype(parmci_domain_same_id) armci_domain_same_id;

int PARMCI_Same_node(int proc) {
  return about_nodes("ARMCI_Same_node",
                     [&](const Nodes& nodes, int me) { return int(nodes.node_of(proc) == nodes.node_of(me)); });
}
[[gnu::weak, gnu::alias("PARMCI_Same_node")]] decltype(PARMCI_Same_node) ARMCI_Same_node;

int PARMCI_Uses_shm(void) {
  return about_nodes("ARMCI_Uses_shm", [](const Nodes& nodes, int) { return int(nodes.shared()); });
}
[[gnu::weak, gnu::alias("PARMCI_Uses_shm")]] decltype(PARMCI_Uses_shm) ARMCI_Uses_shm;

// Whether some node has two of its members.
int PARMCI_Uses_shm_grp(ARMCI_Group* group) {
  return about_nodes("ARMCI_Uses_shm_grp", [&](const Nodes& nodes, int) {
    const auto team = team_of(group);
    if (team == nullptr || !nodes.shared()) return 0;
    std::vector<int> members(std::size_t(nodes.count()));
    for (std::size_t i = 0; i < team->size(); ++i)
      if (++members[std::size_t(nodes.node_of(team->absolute(int(i))))] == 2) return 1;
    return 0;
  });
}
[[gnu::weak, gnu::alias("PARMCI_Uses_shm_grp")]] decltype(PARMCI_Uses_shm_grp) ARMCI_Uses_shm_grp;

void PARMCI_Set_shm_limit(unsigned long) {}
[[gnu::weak, gnu::alias("PARMCI_Set_shm_limit")]] decltype(PARMCI_Set_shm_limit) ARMCI_Set_shm_limit;

}  // extern "C"
