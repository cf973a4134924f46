/* Messages between two units. */
#include "check.h"

enum { LONG = 300000 };

static dart_global_unit_t unit(int id) {
  return DART_GLOBAL_UNIT_ID(id);
}

static void around_in_a_ring(int elements) {
  int* const sent = malloc(LONG * sizeof(int));
  int* const found = malloc(LONG * sizeof(int));
  for (int i = 0; i < elements; ++i) sent[i] = i * 3 + me();
  if (me() % 2 == 0) {
    SUCCEED(dart_send(sent, (size_t)elements, DART_TYPE_INT, 5, unit(next())));
    SUCCEED(dart_recv(found, LONG, DART_TYPE_INT, 5, unit(previous())));
  } else {
    SUCCEED(dart_recv(found, LONG, DART_TYPE_INT, 5, unit(previous())));
    SUCCEED(dart_send(sent, (size_t)elements, DART_TYPE_INT, 5, unit(next())));
  }
  for (int i = 0; i < elements; ++i) CHECK(found[i] == i * 3 + previous());
  memset(found, 0, LONG * sizeof(int));
  SUCCEED(dart_sendrecv(sent, (size_t)elements, DART_TYPE_INT, 9, unit(previous()), found, (size_t)elements,
                        DART_TYPE_INT, 9, unit(next())));
  for (int i = 0; i < elements; ++i) CHECK(found[i] == i * 3 + next());
  free(found);
  free(sent);
}

/* Of each tag in the order in which they were sent, whichever tag is received first. */
static void tags_are_apart(void) {
  for (int i = 0; i < 30; ++i) SUCCEED(dart_send(&i, 1, DART_TYPE_INT, 100 + i % 3, unit(next())));
  for (int tag = 2; tag >= 0; --tag)
    for (int i = tag; i < 30; i += 3) {
      int found = -1;
      SUCCEED(dart_recv(&found, 1, DART_TYPE_INT, 100 + tag, unit(previous())));
      CHECK(found == i);
    }
}

/* A byte from each to each, as those do who synchronise with some of the others. */
static void all_with_all(void) {
  const char mine = (char)me();
  for (int i = 0; i < units(); ++i) SUCCEED(dart_send(&mine, 1, DART_TYPE_BYTE, 10016, unit(i)));
  for (int i = 0; i < units(); ++i) {
    char found = -1;
    SUCCEED(dart_recv(&found, 1, DART_TYPE_BYTE, 10016, unit(i)));
    CHECK(found == (char)i);
  }
}

static void wrong_use_is_refused(void) {
  int value = 0;
  const int pair[2] = {1, 2};
  REFUSED(dart_send(&value, 1, DART_TYPE_INT, 1, unit(units())));
  REFUSED(dart_recv(&value, 1, DART_TYPE_INT, 1, unit(-1)));
  REFUSED(dart_send(NULL, 1, DART_TYPE_INT, 1, unit(next())));
  REFUSED(dart_send(&value, 1, DART_TYPE_UNDEFINED, 1, unit(next())));
  SUCCEED(dart_send(pair, 2, DART_TYPE_INT, 2, unit(next())));
  REFUSED(dart_recv(&value, 1, DART_TYPE_INT, 2, unit(previous()))); /* more came than there is room for */
  int found[2] = {0, 0};
  SUCCEED(dart_recv(found, 2, DART_TYPE_INT, 2, unit(previous())));
  CHECK(value == 0 && found[0] == 1 && found[1] == 2);
}

void test_messages(void) {
  around_in_a_ring(1);
  around_in_a_ring(0);
  around_in_a_ring(LONG);
  tags_are_apart();
  all_with_all();
  wrong_use_is_refused();
  SUCCEED(dart_send(NULL, 0, DART_TYPE_INT, 3, unit(next()))); /* which nobody receives before dart_exit */
}
