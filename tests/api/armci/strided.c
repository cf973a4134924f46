/* Patches of arrays of one to eight dimensions against a copy made element by element. */
#include "check.h"

enum { ROOM = 1 << 16, MOST = 8 };

typedef struct {
  int levels;
  int count[MOST + 1]; /* count[0] in bytes */
  int local[MOST], remote[MOST];
} Patch;

static int blocks(const Patch* p) {
  int product = 1;
  for (int i = 1; i <= p->levels; ++i) product *= p->count[i];
  return product;
}

/* Where block `number` begins. */
static long offset(const Patch* p, const int* stride, int number) {
  long at = 0;
  for (int i = 0; i < p->levels; ++i) {
    at += (long)(number % p->count[i + 1]) * stride[i];
    number /= p->count[i + 1];
  }
  return at;
}

static unsigned random_state = 1;
static int pick(int from, int to) {
  random_state = random_state * 1664525u + 1013904223u;
  return from + (int)((random_state >> 8) % (unsigned)(to - from + 1));
}

static Patch random_patch(int levels) {
  Patch p;
  int extent_local, extent_remote;
  p.levels = levels;
  p.count[0] = extent_local = extent_remote = pick(1, 40);
  for (int i = 0; i < levels; ++i) {
    p.count[i + 1] = pick(1, levels > 4 ? 2 : 5);
    p.local[i] = extent_local + pick(0, 1) * pick(0, 9);
    p.remote[i] = extent_remote + pick(0, 1) * pick(0, 9);
    extent_local = p.local[i] * p.count[i + 1];
    extent_remote = p.remote[i] * p.count[i + 1];
  }
  CHECK(extent_local <= ROOM && extent_remote <= ROOM);
  return p;
}

static unsigned char here[ROOM], there[ROOM], expected[ROOM];

static void refill(unsigned char* bytes) {
  for (int i = 0; i < ROOM; ++i) bytes[i] = (unsigned char)pick(0, 255);
}

static void put_and_compare(Patch* p, unsigned char* part, int rank) {
  refill(here);
  SUCCEED(ARMCI_Get(part, expected, ROOM, rank));
  for (int i = 0; i < blocks(p); ++i)
    memcpy(expected + offset(p, p->remote, i), here + offset(p, p->local, i), (size_t)p->count[0]);
  SUCCEED(ARMCI_PutS(here, p->local, part, p->remote, p->count, p->levels, rank));
  SUCCEED(ARMCI_Get(part, there, ROOM, rank));
  CHECK(memcmp(expected, there, ROOM) == 0);
}

static void get_and_compare(Patch* p, unsigned char* part, int rank) {
  refill(here);
  memcpy(expected, here, ROOM);
  SUCCEED(ARMCI_Get(part, there, ROOM, rank));
  for (int i = 0; i < blocks(p); ++i)
    memcpy(expected + offset(p, p->local, i), there + offset(p, p->remote, i), (size_t)p->count[0]);
  SUCCEED(ARMCI_GetS(part, p->remote, here, p->local, p->count, p->levels, rank));
  CHECK(memcmp(expected, here, ROOM) == 0);
}

static void random_patches(void* parts[]) {
  for (int turn = 0; turn < 40; ++turn) {
    Patch p = random_patch(turn % (MOST + 1));
    put_and_compare(&p, parts[next()], next());
    get_and_compare(&p, parts[next()], next());
  }
}

static void empty(void* parts[]) {
  int stride[1] = {8}, none[2] = {0, 4}, nothing[2] = {4, 0};
  refill(here);
  memcpy(expected, here, ROOM);
  SUCCEED(ARMCI_GetS(parts[next()], stride, here, stride, none, 1, next()));
  SUCCEED(ARMCI_GetS(parts[next()], stride, here, stride, nothing, 1, next()));
  CHECK(memcmp(expected, here, ROOM) == 0);
}

static void packing(void) {
  for (int turn = 0; turn < 20; ++turn) {
    static char packed[ROOM];
    Patch p = random_patch(turn % 5);
    refill(here);
    armci_write_strided(here, p.levels, p.local, p.count, packed);
    for (int i = 0; i < blocks(&p); ++i)
      CHECK(memcmp(packed + i * p.count[0], here + offset(&p, p.local, i), (size_t)p.count[0]) == 0);
    refill(there);
    memcpy(expected, there, ROOM);
    for (int i = 0; i < blocks(&p); ++i)
      memcpy(expected + offset(&p, p.local, i), packed + i * p.count[0], (size_t)p.count[0]);
    armci_read_strided(there, p.levels, p.local, p.count, packed);
    CHECK(memcmp(expected, there, ROOM) == 0);
  }
}

void test_strided(void) {
  void* parts[MOST_RANKS];
  random_state = (unsigned)me() + 1;
  allocate(parts, ROOM);
  random_patches(parts);
  empty(parts);
  ARMCI_Barrier();
  packing();
  release(parts);
}
