/* Single values of each type. */
#include "check.h"

void test_values(void) {
  void* parts[MOST_RANKS];
  allocate(parts, 64);
  char* there = parts[next()];
  armci_hdl_t handle;
  SUCCEED(ARMCI_PutValueInt(me() - 5, there, next()));
  SUCCEED(ARMCI_PutValueLong(me() + (1L << 40), there + 8, next()));
  SUCCEED(ARMCI_PutValueFloat((float)me() + 0.5f, there + 16, next()));
  SUCCEED(ARMCI_PutValueDouble(me() + 0.25, there + 24, next()));
  ARMCI_INIT_HANDLE(&handle);
  SUCCEED(ARMCI_NbPutValueInt(me(), there + 32, next(), &handle));
  SUCCEED(ARMCI_NbPutValueLong(me() * 3, there + 40, next(), NULL));
  SUCCEED(ARMCI_NbPutValueFloat((float)me(), there + 48, next(), NULL));
  SUCCEED(ARMCI_NbPutValueDouble(me(), there + 56, next(), NULL));
  SUCCEED(ARMCI_Wait(&handle));
  SUCCEED(ARMCI_WaitAll());
  ARMCI_Barrier();
  char* mine = parts[me()];
  for (int turn = 0; turn < 2; ++turn) { /* from oneself, then from the next */
    const int owner = turn == 0 ? me() : next(), writer = turn == 0 ? previous() : me();
    char* at = turn == 0 ? mine : there;
    CHECK(ARMCI_GetValueInt(at, owner) == writer - 5);
    CHECK(ARMCI_GetValueLong(at + 8, owner) == writer + (1L << 40));
    CHECK(ARMCI_GetValueFloat(at + 16, owner) == (float)writer + 0.5f);
    CHECK(ARMCI_GetValueDouble(at + 24, owner) == writer + 0.25);
    CHECK(ARMCI_GetValueInt(at + 32, owner) == writer);
    CHECK(ARMCI_GetValueLong(at + 40, owner) == writer * 3);
    CHECK(ARMCI_GetValueFloat(at + 48, owner) == (float)writer);
    CHECK(ARMCI_GetValueDouble(at + 56, owner) == writer);
  }
  release(parts);
}
