/* Non-blocking calls in all shapes, with handles, without, and aggregated. */
#include "check.h"

enum { COUNT = 64, ROOM = 3 * COUNT * 8 };

static double mine[COUNT], back[COUNT];
static void *places[COUNT], *values[COUNT], *results[COUNT];
static int dense[1] = {8}, sparse[1] = {16}, shape[2] = {8, COUNT};

static void prepare(void* parts[], double from) {
  for (int i = 0; i < COUNT; ++i) {
    mine[i] = from + i;
    back[i] = -1;
    places[i] = (double*)parts[next()] + 2 * i;
    values[i] = &mine[i];
    results[i] = &back[i];
  }
}

static armci_giov_t list(void** from, void** to) {
  armci_giov_t whole;
  whole.src_ptr_array = from;
  whole.dst_ptr_array = to;
  whole.bytes = 8;
  whole.ptr_array_len = COUNT;
  return whole;
}

static void end(armci_hdl_t* handle) {
  if (handle != NULL) {
    while (ARMCI_Test(handle) != 0) {
    }
    SUCCEED(ARMCI_Wait(handle));
    SUCCEED(ARMCI_Wait(handle)); /* there is nothing left */
  } else {
    SUCCEED(ARMCI_WaitProc(next()));
    SUCCEED(ARMCI_WaitAll());
  }
}

static void check_back(double from) {
  for (int i = 0; i < COUNT; ++i) CHECK(back[i] == from + i);
}

static void contiguous(void* parts[], armci_hdl_t* handle) {
  double scale = 2;
  prepare(parts, me());
  SUCCEED(ARMCI_NbPut(mine, parts[next()], sizeof mine, next(), handle));
  end(handle);
  ARMCI_Fence(next());
  SUCCEED(ARMCI_NbAcc(ARMCI_ACC_DBL, &scale, mine, parts[next()], sizeof mine, next(), handle));
  end(handle);
  ARMCI_Fence(next());
  SUCCEED(ARMCI_NbGet(parts[next()], back, sizeof back, next(), handle));
  end(handle);
  for (int i = 0; i < COUNT; ++i) CHECK(back[i] == 3 * mine[i]);
  ARMCI_Barrier();
}

static void strided(void* parts[], armci_hdl_t* handle) {
  double scale = -1;
  prepare(parts, 10 + me());
  SUCCEED(ARMCI_NbPutS(mine, dense, parts[next()], sparse, shape, 1, next(), handle));
  end(handle);
  SUCCEED(ARMCI_NbGetS(parts[next()], sparse, back, dense, shape, 1, next(), handle));
  end(handle);
  check_back(10 + me());
  SUCCEED(ARMCI_NbAccS(ARMCI_ACC_DBL, &scale, mine, dense, parts[next()], sparse, shape, 1, next(), handle));
  end(handle);
  ARMCI_AllFence();
  SUCCEED(ARMCI_GetS(parts[next()], sparse, back, dense, shape, 1, next()));
  for (int i = 0; i < COUNT; ++i) CHECK(back[i] == 0);
  ARMCI_Barrier();
}

static void vectors(void* parts[], armci_hdl_t* handle) {
  double scale = 0.5;
  prepare(parts, 20 + me());
  armci_giov_t out = list(values, places), in = list(places, results);
  SUCCEED(ARMCI_NbPutV(&out, 1, next(), handle));
  end(handle);
  SUCCEED(ARMCI_NbGetV(&in, 1, next(), handle));
  end(handle);
  check_back(20 + me());
  SUCCEED(ARMCI_NbAccV(ARMCI_ACC_DBL, &scale, &out, 1, next(), handle));
  end(handle);
  ARMCI_Fence(next());
  SUCCEED(ARMCI_GetV(&in, 1, next()));
  for (int i = 0; i < COUNT; ++i) CHECK(back[i] == 1.5 * mine[i]);
  ARMCI_Barrier();
}

/* Many small ones under one handle. */
static void aggregate(void* parts[]) {
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  prepare(parts, 30 + me());
  for (int i = 0; i < COUNT; ++i) SUCCEED(ARMCI_NbPut(values[i], places[i], 8, next(), &handle));
  SUCCEED(ARMCI_Wait(&handle));
  for (int i = 0; i < COUNT; ++i) SUCCEED(ARMCI_NbGet(places[i], results[i], 8, next(), &handle));
  SUCCEED(ARMCI_Wait(&handle));
  check_back(30 + me());
  ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
  SUCCEED(ARMCI_NbGet(places[0], results[0], 8, next(), &handle));
  SUCCEED(ARMCI_Wait(&handle));
  ARMCI_Barrier();
}

/* Programs keep handles by value with something else right behind. */
static void neighbours(void* parts[]) {
  struct {
    armci_hdl_t handle;
    void* behind;
  } entries[COUNT];
  prepare(parts, 40 + me());
  for (int i = 0; i < COUNT; ++i) {
    entries[i].behind = &entries[i];
    ARMCI_INIT_HANDLE(&entries[i].handle);
    SUCCEED(ARMCI_NbPut(values[i], places[i], 8, next(), &entries[i].handle));
  }
  for (int i = COUNT - 1; i >= 0; --i) SUCCEED(ARMCI_Wait(&entries[i].handle));
  for (int i = 0; i < COUNT; ++i) CHECK(entries[i].behind == &entries[i]);
  ARMCI_Fence(next());
  SUCCEED(ARMCI_GetS(parts[next()], sparse, back, dense, shape, 1, next()));
  check_back(40 + me());
  ARMCI_Barrier();
}

/* Never waited for one by one. */
static void forgotten(void* parts[]) {
  prepare(parts, 50 + me());
  for (int turn = 0; turn < 1000; ++turn) {
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    SUCCEED(ARMCI_NbPut(values[turn % COUNT], places[turn % COUNT], 8, next(), &handle));
  }
  SUCCEED(ARMCI_WaitAll());
  ARMCI_Fence(next());
  SUCCEED(ARMCI_GetS(parts[next()], sparse, back, dense, shape, 1, next()));
  check_back(50 + me());
  ARMCI_Barrier();
}

void test_handles(void) {
  void* parts[MOST_RANKS];
  armci_hdl_t handle;
  allocate(parts, ROOM);
  ARMCI_INIT_HANDLE(&handle);
  for (int turn = 0; turn < 2; ++turn) {
    armci_hdl_t* how = turn == 0 ? &handle : NULL;
    contiguous(parts, how);
    strided(parts, how);
    vectors(parts, how);
  }
  aggregate(parts);
  neighbours(parts);
  forgotten(parts);
  SUCCEED(ARMCI_Wait(NULL));
  release(parts);
}
