/* Nodes: each rank its own, or the truth, which here is one machine for all. */
#include "check.h"

static int truth_is_told(void) {
  const char* topology = getenv("POLDER_ARMCI_TOPOLOGY");
  return topology != NULL && strcmp(topology, "nodes") == 0;
}

static void each_alone(void) {
  CHECK(armci_domain_count(ARMCI_DOMAIN_SMP) == ranks());
  CHECK(armci_domain_my_id(ARMCI_DOMAIN_SMP) == me());
  CHECK(armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1) == 1);
  for (int rank = 0; rank < ranks(); ++rank) {
    CHECK(armci_domain_id(ARMCI_DOMAIN_SMP, rank) == rank);
    CHECK(armci_domain_nprocs(ARMCI_DOMAIN_SMP, rank) == 1);
    CHECK(armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, rank, 0) == rank);
    CHECK(armci_domain_same_id(ARMCI_DOMAIN_SMP, rank) == (rank == me()));
    CHECK(ARMCI_Same_node(rank) == (rank == me()));
  }
  CHECK(ARMCI_Uses_shm() == 0);
}

static void all_together(void) {
  CHECK(armci_domain_count(ARMCI_DOMAIN_SMP) == 1);
  CHECK(armci_domain_my_id(ARMCI_DOMAIN_SMP) == 0);
  CHECK(armci_domain_nprocs(ARMCI_DOMAIN_SMP, 0) == ranks());
  for (int rank = 0; rank < ranks(); ++rank) {
    CHECK(armci_domain_id(ARMCI_DOMAIN_SMP, rank) == 0);
    CHECK(armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, 0, rank) == rank);
    CHECK(ARMCI_Same_node(rank) == 1);
  }
  CHECK(ARMCI_Uses_shm() == (ranks() > 1));
}

/* Collectives among the ranks of a node. */
static void within_the_node(int members) {
  int one = 1, node = me(), first = me();
  long longs = 1;
  long long longer = 1;
  float singles = 1;
  double doubles = 1;
  armci_msg_clus_igop(&one, 1, "+");
  armci_msg_clus_lgop(&longs, 1, "+");
  armci_msg_clus_llgop(&longer, 1, "+");
  armci_msg_clus_fgop(&singles, 1, "+");
  armci_msg_clus_dgop(&doubles, 1, "+");
  CHECK(one == members && longs == members && longer == members && singles == members && doubles == members);
  armci_msg_gop_scope(SCOPE_NODE, &node, 1, "min", ARMCI_INT);
  armci_msg_clus_brdcst(&first, sizeof first);
  CHECK(node == (members == 1 ? me() : 0) && first == node);
}

static void among_masters(int masters) {
  int one = 1;
  armci_msg_gop_scope(SCOPE_MASTERS, &one, 1, "+", ARMCI_INT);
  CHECK(one == masters || (masters == 1 && one == 1));
}

/* From the middle of the group to its end. */
static void among_members(void) {
  ARMCI_Group all;
  const int first = ranks() / 2, count = ranks() - first;
  int value = me();
  ARMCI_Group_get_world(&all);
  armci_grp_clus_brdcst(&value, sizeof value, first, count, &all);
  CHECK(value == (me() >= first ? first : me()));
}

void test_domains(void) {
  CHECK(armci_domain_id(ARMCI_DOMAIN_SMP, ranks()) == -1);
  CHECK(armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, -1, 0) == -1);
  if (truth_is_told())
    all_together();
  else
    each_alone();
  within_the_node(truth_is_told() ? ranks() : 1);
  among_masters(truth_is_told() ? 1 : ranks());
  among_members();
  ARMCI_Set_shm_limit(1ul << 30);
}
