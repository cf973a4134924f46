/* Datatypes and operations of the program's own, as values. */
#include "check.h"

static void first_wins(const void* in, void* inout, size_t count, void* data) {
  (void)data;
  memcpy(inout, in, count);
}

static void made_and_destroyed(void) {
  dart_datatype_t custom, strided, indexed, over_custom;
  const size_t lengths[] = {2, 1}, offsets[] = {4, 0};
  SUCCEED(dart_type_create_custom(24, &custom));
  SUCCEED(dart_type_create_strided(DART_TYPE_DOUBLE, 5, 2, &strided));
  SUCCEED(dart_type_create_indexed(DART_TYPE_INT, 2, lengths, offsets, &indexed));
  SUCCEED(dart_type_create_strided(custom, 3, 3, &over_custom));
  CHECK(custom > DART_TYPE_LAST && strided > DART_TYPE_LAST && indexed > DART_TYPE_LAST &&
        over_custom > DART_TYPE_LAST);
  dart_datatype_t none = 5;
  REFUSED(dart_type_create_strided(strided, 2, 1, &none));
  CHECK(none == DART_TYPE_UNDEFINED);
  REFUSED(dart_type_create_indexed(indexed, 2, lengths, offsets, &none));
  SUCCEED(dart_type_destroy(&over_custom));
  SUCCEED(dart_type_destroy(&indexed));
  SUCCEED(dart_type_destroy(&strided));
  SUCCEED(dart_type_destroy(&custom));
  CHECK(custom == DART_TYPE_UNDEFINED);
}

static void wrong_types_are_refused(void) {
  dart_datatype_t none = 5, basic = DART_TYPE_INT;
  const size_t lengths[] = {0, 0}, offsets[] = {4, 0};
  REFUSED(dart_type_create_custom(0, &none));
  CHECK(none == DART_TYPE_UNDEFINED);
  REFUSED(dart_type_create_custom(8, NULL));
  REFUSED(dart_type_create_strided(DART_TYPE_UNDEFINED, 2, 1, &none));
  REFUSED(dart_type_create_strided(DART_TYPE_INT, 1, 2, &none));
  REFUSED(dart_type_create_strided(DART_TYPE_INT, 1, 0, &none));
  REFUSED(dart_type_create_indexed(DART_TYPE_INT, 2, lengths, offsets, &none));
  REFUSED(dart_type_create_indexed(DART_TYPE_INT, 2, NULL, offsets, &none));
  /* Numbers that come round to small ones. */
  const size_t most = ~(size_t)0, one[] = {1}, two[] = {most / 2 + 1, most / 2 + 1}, last[] = {most}, starts[] = {0, 0},
               quarter[] = {most / 4};
  REFUSED(dart_type_create_indexed(DART_TYPE_INT, 1, one, last, &none));
  REFUSED(dart_type_create_indexed(DART_TYPE_BYTE, 1, one, last, &none));
  REFUSED(dart_type_create_indexed(DART_TYPE_BYTE, 2, two, starts, &none));
  REFUSED(dart_type_create_indexed(DART_TYPE_INT, 1, one, quarter, &none));
  REFUSED(dart_type_create_strided(DART_TYPE_INT, most / 4 + 1, 1, &none));
  CHECK(none == DART_TYPE_UNDEFINED);
  REFUSED(dart_type_destroy(&basic));
  CHECK(basic == DART_TYPE_INT);
  REFUSED(dart_type_destroy(NULL));
}

static void operations(void) {
  dart_operation_t op = 3, predefined = DART_OP_SUM;
  dart_datatype_t strided;
  SUCCEED(dart_op_create(first_wins, NULL, false, DART_TYPE_BYTE, false, &op));
  CHECK(op > DART_OP_LAST);
  SUCCEED(dart_op_destroy(&op));
  CHECK(op == DART_OP_UNDEFINED);
  REFUSED(dart_op_destroy(&op));
  REFUSED(dart_op_destroy(&predefined));
  REFUSED(dart_op_create(NULL, NULL, true, DART_TYPE_BYTE, false, &op));
  SUCCEED(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  REFUSED(dart_op_create(first_wins, NULL, true, strided, false, &op));
  CHECK(op == DART_OP_UNDEFINED);
  SUCCEED(dart_type_destroy(&strided));
}

void test_types(void) {
  made_and_destroyed();
  wrong_types_are_refused();
  operations();
}
