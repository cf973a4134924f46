/* A tool between program and library: its ARMCI_Put stands before ours and goes on to PARMCI_Put. */
#include "check.h"

static int seen = 0;

int ARMCI_Put(void* src, void* dst, int size, int target) {
  ++seen;
  return PARMCI_Put(src, dst, size, target);
}

int main(int argc, char** argv) {
  void* parts[MOST_RANKS];
  int value = 7;
  MPI_Init(&argc, &argv);
  SUCCEED(ARMCI_Init());
  allocate(parts, 64);
  SUCCEED(ARMCI_Put(&value, parts[next()], sizeof value, next()));
  SUCCEED(ARMCI_PutValueInt(8, (int*)parts[next()] + 1, next())); /* no call that the program made */
  ARMCI_Barrier();
  CHECK(seen == 1 && ((int*)parts[me()])[0] == 7 && ((int*)parts[me()])[1] == 8);
  release(parts);
  SUCCEED(ARMCI_Finalize());
  MPI_Finalize();
  return 0;
}
