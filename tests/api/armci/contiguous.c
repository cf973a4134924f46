/* Put and get of blocks, of all sizes and alignments, to all ranks. */
#include "check.h"

enum { ROOM = 300000 };

static void fill(unsigned char* bytes, int count, int seed) {
  for (int i = 0; i < count; ++i) bytes[i] = (unsigned char)(i * 7 + seed);
}

static void to_and_from(void* parts[], int bytes, int offset, int rank) {
  static unsigned char sent[ROOM], received[ROOM];
  unsigned char* mine = (unsigned char*)parts[rank] + offset;
  fill(sent, bytes, me() + bytes);
  memset(received, 0xee, (size_t)bytes + 1);
  SUCCEED(ARMCI_Put(sent, mine, bytes, rank));
  SUCCEED(ARMCI_Get(mine, received, bytes, rank)); /* sees the put: location consistency */
  CHECK(memcmp(sent, received, (size_t)bytes) == 0);
  CHECK(received[bytes] == 0xee);
}

void test_contiguous(void) {
  static const int sizes[] = {1, 2, 3, 4, 7, 8, 9, 16, 63, 64, 100, 1000, 4096, 4097, 65536, 140001};
  void* parts[MOST_RANKS];
  allocate(parts, ROOM);
  /* All write to all, one after the other so that each finds its own. */
  for (int turn = 0; turn < ranks(); ++turn) {
    const int rank = (me() + turn) % ranks();
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) to_and_from(parts, sizes[i], (int)i % 9, rank);
    ARMCI_Barrier();
  }
  SUCCEED(ARMCI_Put(parts[me()], parts[next()], 0, next()));
  /* The whole of it, from the middle of the own part. */
  memset(parts[me()], me(), ROOM);
  ARMCI_Barrier();
  static unsigned char all[ROOM];
  SUCCEED(ARMCI_Get(parts[next()], all, ROOM, next()));
  for (int i = 0; i < ROOM; ++i) CHECK(all[i] == next());
  release(parts);
}
