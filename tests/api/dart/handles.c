/* Transfers that are waited for one by one. */
#include "check.h"

enum { BLOCK = 40000 };

/* Part u of everybody's memory is for unit u to write. */
static void all_to_all_and_waited_for(int locally) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, (size_t)units() * BLOCK, DART_TYPE_INT);
  int* const sent = malloc(BLOCK * sizeof(int));
  int* const found = malloc((size_t)units() * BLOCK * sizeof(int));
  dart_handle_t* const handles = calloc((size_t)units(), sizeof(dart_handle_t));
  for (int i = 0; i < BLOCK; ++i) sent[i] = BLOCK * me() + i;
  for (int unit = 0; unit < units(); ++unit)
    SUCCEED(dart_put_handle(at(pointer, unit, (size_t)me() * BLOCK * sizeof(int)), sent, BLOCK, DART_TYPE_INT,
                            DART_TYPE_INT, &handles[unit]));
  SUCCEED(dart_waitall(handles, (size_t)units()));
  for (int unit = 0; unit < units(); ++unit) CHECK(handles[unit] == DART_HANDLE_NULL);
  barrier();
  for (int unit = 0; unit < units(); ++unit)
    SUCCEED(dart_get_handle(found + unit * BLOCK, at(pointer, next(), (size_t)unit * BLOCK * sizeof(int)), BLOCK,
                            DART_TYPE_INT, DART_TYPE_INT, &handles[unit]));
  if (locally) {
    SUCCEED(dart_waitall_local(handles, (size_t)units()));
  } else {
    for (int unit = 0; unit < units(); ++unit) SUCCEED(dart_wait_local(&handles[unit]));
  }
  for (int i = 0; i < units() * BLOCK; ++i) CHECK(found[i] == i);
  free(handles);
  free(found);
  free(sent);
  release(pointer);
}

static void tested_until_complete(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, BLOCK, DART_TYPE_INT);
  int* const values = calloc(BLOCK, sizeof(int));
  dart_handle_t handles[3] = {DART_HANDLE_NULL, DART_HANDLE_NULL, DART_HANDLE_NULL};
  int32_t done = 0;
  values[BLOCK - 1] = 7 + me();
  SUCCEED(dart_put_handle(at(pointer, next(), 0), values, BLOCK, DART_TYPE_INT, DART_TYPE_INT, &handles[0]));
  while (!done) SUCCEED(dart_test_local(&handles[0], &done));
  CHECK(handles[0] == DART_HANDLE_NULL);
  barrier(); /* nothing of the put is waited for any more: it arrives by itself */
  int last = 0;
  while (last == 0)
    SUCCEED(dart_get_blocking(&last, at(pointer, me(), (BLOCK - 1) * sizeof(int)), 1, DART_TYPE_INT, DART_TYPE_INT));
  CHECK(last == 7 + previous());
  for (int i = 0; i < 3; ++i)
    SUCCEED(dart_get_handle(values, at(pointer, next(), 0), BLOCK, DART_TYPE_INT, DART_TYPE_INT, &handles[i]));
  for (done = 0; !done;) SUCCEED(dart_test(&handles[0], &done));
  for (done = 0; !done;) SUCCEED(dart_testall(handles, 2, &done));
  for (done = 0; !done;) SUCCEED(dart_testall_local(handles, 3, &done));
  for (int i = 0; i < 3; ++i) CHECK(handles[i] == DART_HANDLE_NULL);
  CHECK(values[BLOCK - 1] == 7 + me());
  free(values);
  release(pointer);
}

static void forgotten_ones_arrive(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, BLOCK, DART_TYPE_INT);
  int* const values = calloc(BLOCK, sizeof(int));
  dart_handle_t handle;
  for (int i = 0; i < BLOCK; ++i) values[i] = i ^ me();
  SUCCEED(dart_put_handle(at(pointer, next(), 0), values, BLOCK, DART_TYPE_INT, DART_TYPE_INT, &handle));
  SUCCEED(dart_handle_free(&handle));
  CHECK(handle == DART_HANDLE_NULL);
  SUCCEED(dart_flush(at(pointer, next(), 0)));
  barrier();
  const int* const mine = own_part(pointer);
  for (int i = 0; i < BLOCK; ++i) CHECK(mine[i] == (i ^ previous()));
  free(values);
  release(pointer);
}

static void none_is_complete(void) {
  dart_handle_t none = DART_HANDLE_NULL, refused = (dart_handle_t)&none;
  int32_t done = 0;
  int value;
  SUCCEED(dart_wait(&none));
  SUCCEED(dart_wait_local(NULL));
  SUCCEED(dart_waitall(NULL, 4));
  SUCCEED(dart_waitall_local(&none, 0));
  SUCCEED(dart_handle_free(&none));
  SUCCEED(dart_handle_free(NULL));
  SUCCEED(dart_test(&none, &done));
  CHECK(done == 1);
  done = 0;
  SUCCEED(dart_testall(NULL, 4, &done));
  CHECK(done == 1);
  done = 0;
  SUCCEED(dart_test_local(NULL, &done));
  CHECK(done == 1);
  REFUSED(dart_get_handle(&value, DART_GPTR_NULL, 1, DART_TYPE_INT, DART_TYPE_INT, &refused));
  CHECK(refused == DART_HANDLE_NULL);
}

void test_handles(void) {
  all_to_all_and_waited_for(0);
  all_to_all_and_waited_for(1);
  tested_until_complete();
  forgotten_ones_arrive();
  none_is_complete();
}
