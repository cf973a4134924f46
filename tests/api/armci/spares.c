/* Freed memory that is kept: the next allocation of the same sizes gets it, and cannot tell it from fresh memory. */
#include "check.h"

/* Which file of the kernel is mapped at that address; 0: none, or memory without one. */
static unsigned long file_at(const void* address) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long begin, end, inode, found = 0;
  CHECK(maps != NULL);
  while (found == 0 && fgets(line, sizeof line, maps) != NULL)
    if (sscanf(line, "%lx-%lx %*s %*x %*s %lu", &begin, &end, &inode) == 3 && (unsigned long)address >= begin &&
        (unsigned long)address < end)
      found = inode;
  fclose(maps);
  return found;
}

/* Without a limit nothing is kept, and over a network memory may have no file to be known by. */
static int kept(void) {
  const char* limit = getenv("POLDER_ARMCI_SPARE_KB");
  const char* device = getenv("POLDER_DEVICE");
  return (limit == NULL || strcmp(limit, "0") != 0) && (device == NULL || strcmp(device, "shm") == 0);
}

/* Allocates, checks that all parts are zero and writes everywhere; returns what is mapped for this rank. */
static unsigned long use(void* parts[], long mine, long largest) {
  char* junk = malloc((size_t)largest);
  memset(junk, me() + 1, (size_t)largest);
  SUCCEED(ARMCI_Malloc(parts, mine));
  for (long i = 0; i < mine; ++i) CHECK(((char*)parts[me()])[i] == 0);
  ARMCI_Barrier();
  if (parts[next()] != NULL) SUCCEED(ARMCI_Put(junk, parts[next()], (int)(largest / 2), next()));
  ARMCI_Barrier();
  if (mine > 0) CHECK(((char*)parts[me()])[largest / 2 - 1] == previous() + 1);
  if (mine > 0) memset(parts[me()], 77, (size_t)mine);
  free(junk);
  return mine > 0 ? file_at(parts[me()]) : 0;
}

static void same_sizes(void) {
  void *first[MOST_RANKS], *second[MOST_RANKS];
  const unsigned long was = use(first, 20000, 20000);
  SUCCEED(ARMCI_Free(first[me()]));
  CHECK(!kept() || use(second, 20000, 20000) == was);
  if (!kept()) use(second, 20000, 20000);
  /* What is in use is nobody else's. */
  const unsigned long other = use(first, 20000, 20000);
  CHECK(!kept() || other != was);
  CHECK(((char*)second[me()])[0] == 77 && first[next()] != second[next()]);
  SUCCEED(ARMCI_Free(second[me()]));
  SUCCEED(ARMCI_Free(first[me()]));
}

/* A rank with nothing, and one for which the kept memory is too small although it fits the others. */
static void other_sizes(void) {
  void* parts[MOST_RANKS];
  const int last = ranks() - 1;
  const unsigned long was = use(parts, me() == last ? 30000 : 30000 * (ranks() == 1), 30000);
  SUCCEED(ARMCI_Free(parts[me()]));
  const unsigned long bigger = use(parts, me() == last ? 34000 : 30000 * (ranks() == 1), 30000);
  SUCCEED(ARMCI_Free(parts[me()]));
  CHECK(!kept() || me() != last || bigger != was);
  const unsigned long again = use(parts, me() == last ? 30000 : 30000 * (ranks() == 1), 30000);
  CHECK(!kept() || again == was);
  SUCCEED(ARMCI_Free(parts[me()]));
}

/* Beyond the limit the oldest go, and what is larger than the limit is not kept at all. */
static void limited(void) {
  enum { LARGE = 6 << 20, MANY = 3 };
  void *parts[MANY][MOST_RANKS], *huge[MOST_RANKS];
  unsigned long was[MANY], seen;
  for (int i = 0; i < MANY; ++i) was[i] = use(parts[i], LARGE + i, LARGE);
  for (int i = 0; i < MANY; ++i) SUCCEED(ARMCI_Free(parts[i][me()]));
  seen = use(parts[0], LARGE, LARGE);
  CHECK(!kept() || seen != was[0]);
  seen = use(parts[2], LARGE + 2, LARGE);
  CHECK(!kept() || seen == was[2]);
  for (int i = 0; i < MANY; i += 2) SUCCEED(ARMCI_Free(parts[i][me()]));
  const unsigned long huge_was = use(huge, 20 << 20, 1 << 20);
  SUCCEED(ARMCI_Free(huge[me()]));
  seen = use(huge, 20 << 20, 1 << 20);
  CHECK(!kept() || seen != huge_was);
  SUCCEED(ARMCI_Free(huge[me()]));
}

/* More than are kept, again and again, freed in another order. */
static void crowd(void) {
  enum { CROWD = 80 };
  void* parts[CROWD][MOST_RANKS];
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < CROWD; ++i) {
      SUCCEED(ARMCI_Malloc(parts[i], 64 + 8 * (i % 4)));
      CHECK(*(int*)parts[i][me()] == 0);
      *(int*)parts[i][me()] = 1000 * turn + i;
    }
    ARMCI_Barrier();
    for (int i = 0; i < CROWD; ++i) {
      int seen = -1;
      SUCCEED(ARMCI_Get(parts[i][next()], &seen, sizeof seen, next()));
      CHECK(seen == 1000 * turn + i);
    }
    for (int i = 0; i < CROWD; ++i) SUCCEED(ARMCI_Free(parts[(7 * i + turn) % CROWD][me()]));
  }
}

/* A group keeps its own, and a new group of the same ranks knows nothing of it. */
static void of_groups(void) {
  int list[MOST_RANKS];
  void* parts[MOST_RANKS];
  for (int i = 0; i < ranks(); ++i) list[i] = ranks() - 1 - i;
  unsigned long was = 0;
  for (int turn = 0; turn < 3; ++turn) {
    ARMCI_Group group;
    ARMCI_Group_create(ranks(), list, &group);
    for (int i = 0; i < 3; ++i) {
      SUCCEED(ARMCI_Malloc_group(parts, 5000, &group));
      void* const mine = parts[group.rank];
      CHECK(*(int*)mine == 0);
      *(int*)mine = 5;
      CHECK(!kept() || (i == 0) == (file_at(mine) != was));
      was = file_at(mine);
      SUCCEED(ARMCI_Free_group(mine, &group));
    }
    ARMCI_Group_free(&group);
  }
}

void test_spares(void) {
  same_sizes();
  other_sizes();
  limited();
  crowd();
  of_groups();
}
