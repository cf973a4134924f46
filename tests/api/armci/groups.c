/* Groups: orders of their own, children, defaults, and memory and collectives among their members. */
#include "check.h"

static void world(void) {
  ARMCI_Group all;
  int rank = -7, size = -7, compare;
  ARMCI_Group_get_world(&all);
  SUCCEED(ARMCI_Group_rank(&all, &rank));
  ARMCI_Group_size(&all, &size);
  CHECK(rank == me() && size == ranks());
  CHECK(all.rank == rank && all.size == size);
  MPI_Comm_compare(all.comm, MPI_COMM_WORLD, &compare);
  CHECK(compare == MPI_CONGRUENT);
  for (int i = 0; i < ranks(); ++i) {
    CHECK(ARMCI_Absolute_id(&all, i) == i);
    CHECK(all.grp_to_abs[i] == i && all.abs_to_grp[i] == i);
  }
}

/* Odd ranks, the highest first. */
static int odd_ranks(int list[]) {
  int count = 0;
  for (int rank = ranks() - 1; rank >= 0; --rank)
    if (rank % 2 == 1) list[count++] = rank;
  return count;
}

static void collectives(ARMCI_Group* group, int list[], int count) {
  int sum = me(), value = me() * 100, expected = 0;
  long longs = me();
  long long longer = me();
  float singles = (float)me();
  double doubles = me();
  for (int i = 0; i < count; ++i) expected += list[i];
  armci_msg_group_igop(&sum, 1, "+", group);
  armci_msg_group_lgop(&longs, 1, "+", group);
  armci_msg_group_llgop(&longer, 1, "+", group);
  armci_msg_group_fgop(&singles, 1, "max", group);
  armci_msg_group_dgop(&doubles, 1, "min", group);
  CHECK(sum == expected && longs == expected && longer == expected);
  CHECK(singles == (float)list[0] && doubles == list[count - 1]);
  sum = me();
  armci_msg_group_gop_scope(SCOPE_ALL, &sum, 1, "+", ARMCI_INT, group);
  CHECK(sum == expected);
  /* The root is named by its rank in the world. */
  armci_msg_group_bcast_scope(SCOPE_ALL, &value, sizeof value, list[count - 1], group);
  CHECK(value == list[count - 1] * 100);
  void* addresses[2] = {me() == list[0] ? (void*)&sum : NULL, me() == list[count - 1] ? (void*)list : NULL};
  void* mine = me() == list[0] ? addresses[0] : NULL;
  armci_exchange_address_grp(addresses, 2, group);
  CHECK(addresses[0] != NULL && addresses[1] != NULL);
  CHECK(mine == NULL || mine == addresses[0]);
  /* Here all ranks are on one node, if that is told. */
  int on_node = me(), masters = 1;
  armci_msg_group_gop_scope(SCOPE_NODE, &on_node, 1, "+", ARMCI_INT, group);
  armci_msg_group_gop_scope(SCOPE_MASTERS, &masters, 1, "+", ARMCI_INT, group);
  CHECK(on_node == (ARMCI_Uses_shm() ? expected : me()));
  CHECK(masters == (ARMCI_Uses_shm() ? 1 : count));
  value = me() * 100;
  armci_msg_group_bcast_scope(SCOPE_NODE, &value, sizeof value, ARMCI_Uses_shm() ? list[0] : me(), group);
  CHECK(value == 100 * (ARMCI_Uses_shm() ? list[0] : me()));
  armci_msg_group_barrier(group);
}

static void of_mpi(ARMCI_Group* group) {
  int sum = 1, rank;
  MPI_Comm copy;
  MPI_Comm_rank(group->comm, &rank);
  CHECK(rank == group->rank);
  MPI_Comm_dup(group->comm, &copy);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, copy);
  CHECK(sum == group->size);
  MPI_Comm_free(&copy);
}

static void memory(ARMCI_Group* group, int list[], int count) {
  void* parts[MOST_RANKS];
  const int right = (group->rank + 1) % count, left = (group->rank + count - 1) % count;
  for (int turn = 0; turn < 2; ++turn) {
    if (turn == 0)
      SUCCEED(ARMCI_Malloc_group(parts, 100, group));
    else
      SUCCEED(ARMCI_Malloc_group_memdev(parts, group->rank == 0 ? 0 : 100, group, "default"));
    if (parts[right] != NULL) SUCCEED(ARMCI_PutValueInt(me(), parts[right], list[right]));
    ARMCI_Fence(list[right]);
    armci_msg_group_barrier(group);
    if (parts[group->rank] != NULL) CHECK(*(int*)parts[group->rank] == list[left]);
    SUCCEED(ARMCI_Free_group(parts[group->rank], group));
  }
}

/* The first half of a group, by the places in it; and again with the group as default. */
static void children(ARMCI_Group* parent, int list[], int count) {
  ARMCI_Group child, before, now;
  int places[MOST_RANKS], size, rank;
  for (int i = 0; i < count; ++i) places[i] = i;
  for (int turn = 0; turn < 2; ++turn) {
    const int half = (count + 1) / 2;
    if (turn == 0) {
      ARMCI_Group_create_child(half, places, &child, parent);
    } else {
      ARMCI_Group_get_default(&before);
      ARMCI_Group_set_default(parent);
      ARMCI_Group_get_default(&now);
      CHECK(now.grp_to_abs == parent->grp_to_abs);
      ARMCI_Group_create(half, places, &child);
      ARMCI_Group_set_default(&before);
    }
    ARMCI_Group_size(&child, &size);
    if (parent->rank < half) {
      SUCCEED(ARMCI_Group_rank(&child, &rank));
      CHECK(rank == parent->rank && size == half);
      for (int i = 0; i < half; ++i) CHECK(ARMCI_Absolute_id(&child, i) == list[i]);
      CHECK(ARMCI_Absolute_id(&child, half) == -1);
      collectives(&child, list, half);
      ARMCI_Group_free(&child);
    } else {
      CHECK(ARMCI_Group_rank(&child, &rank) != 0);
      CHECK(rank == -1 && size == 0 && child.comm == MPI_COMM_NULL);
    }
  }
}

/* Memory outlives its group. */
static void freed_first(int list[], int count) {
  ARMCI_Group group;
  void* parts[MOST_RANKS];
  ARMCI_Group_create(count, list, &group);
  const int rank = group.rank;
  SUCCEED(ARMCI_Malloc_group(parts, 64, &group));
  ARMCI_Group_free(&group);
  SUCCEED(ARMCI_PutValueInt(me(), parts[rank], me()));
  CHECK(ARMCI_GetValueInt(parts[rank], me()) == me());
  SUCCEED(ARMCI_Free(parts[rank]));
}

/* A group goes while members still read what came last. */
static void freed_after_broadcasts(void) {
  static int values[15000];
  int list[MOST_RANKS];
  ARMCI_Group group;
  for (int i = 0; i < ranks(); ++i) list[i] = i;
  for (int turn = 0; turn < 200; ++turn) {
    const int root = turn % ranks();
    for (int i = 0; i < 15000; ++i) values[i] = me() == root ? turn + i + 1 : 0;
    ARMCI_Group_create(ranks(), list, &group);
    armci_msg_group_bcast_scope(turn % 2 == 0 || !ARMCI_Uses_shm() ? SCOPE_ALL : SCOPE_NODE, values, sizeof values,
                                root, &group);
    ARMCI_Group_free(&group);
    for (int i = 0; i < 15000; ++i) CHECK(values[i] == turn + i + 1);
  }
}

void test_groups(void) {
  int list[MOST_RANKS];
  ARMCI_Group group, empty;
  freed_after_broadcasts();
  world();
  const int count = odd_ranks(list);
  ARMCI_Group_create(0, list, &empty);
  CHECK(empty.rank == -1 && empty.size == 0);
  if (count == 0) return;
  ARMCI_Group_create(count, list, &group);
  if (group.rank >= 0) {
    CHECK(list[group.rank] == me() && group.size == count);
    CHECK(group.abs_to_grp[me()] == group.rank && group.abs_to_grp[0] == -1);
    collectives(&group, list, count);
    of_mpi(&group);
    memory(&group, list, count);
    children(&group, list, count);
    freed_first(list, count);
    CHECK(ARMCI_Uses_shm_grp(&group) == 0 || ARMCI_Uses_shm() == 1);
    ARMCI_Group_free(&group);
    CHECK(group.comm == MPI_COMM_NULL && group.rank == -1);
  }
}
