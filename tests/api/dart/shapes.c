/* Strided and indexed types on either side and on both: the element number j goes to the element number j, and what lies
 * between stays. */
#include "check.h"

enum { ELEMENTS = 60, SPAN = 512 };

/* The place of element j of a type, as the definition says. */
typedef struct {
  dart_datatype_t type;
  size_t stride, length; /* strided, if length > 0 */
  size_t count;          /* of blocks: indexed, if count > 0 */
  size_t lengths[4], offsets[4];
} shape_t;

static size_t place_of(const shape_t* shape, size_t j) {
  if (shape->length > 0) return j / shape->length * shape->stride + j % shape->length;
  if (shape->count == 0) return j;
  size_t sum = 0, end = 0, least = SPAN, before = 0;
  for (size_t i = 0; i < shape->count; ++i) {
    sum += shape->lengths[i];
    if (shape->offsets[i] + shape->lengths[i] > end) end = shape->offsets[i] + shape->lengths[i];
    if (shape->offsets[i] < least) least = shape->offsets[i];
  }
  const size_t round = j / sum, in_round = j % sum;
  for (size_t i = 0;; before += shape->lengths[i++])
    if (in_round < before + shape->lengths[i]) return round * (end - least) + shape->offsets[i] + in_round - before;
}

static shape_t plain(dart_datatype_t base) {
  shape_t shape = {.type = base};
  return shape;
}
static shape_t strided(dart_datatype_t base, size_t stride, size_t length) {
  shape_t shape = {.stride = stride, .length = length};
  SUCCEED(dart_type_create_strided(base, stride, length, &shape.type));
  return shape;
}
static shape_t indexed(dart_datatype_t base, size_t count, const size_t lengths[], const size_t offsets[]) {
  shape_t shape = {.count = count};
  memcpy(shape.lengths, lengths, count * sizeof(size_t));
  memcpy(shape.offsets, offsets, count * sizeof(size_t));
  SUCCEED(dart_type_create_indexed(base, count, lengths, offsets, &shape.type));
  return shape;
}

static void fill(int* memory, int seed) {
  for (int i = 0; i < SPAN; ++i) memory[i] = seed + i;
}

/* The ints that a transfer between the two shapes makes of `to`; `width` ints an element. */
static void move(int* to, const shape_t* to_shape, const int* from, const shape_t* from_shape, size_t width) {
  for (size_t j = 0; j < ELEMENTS; ++j)
    memcpy(to + place_of(to_shape, j) * width, from + place_of(from_shape, j) * width, width * sizeof(int));
}

/* Types are destroyed while the put and the get are under way. */
static void there_and_back(const shape_t* here, const shape_t* there, size_t width, int unit) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, SPAN, DART_TYPE_INT);
  int sent[SPAN], expected[SPAN], found[SPAN];
  fill(sent, 10000 * (me() + 1));
  fill(own_part(pointer), -5000);
  barrier();
  dart_gptr_t target = at(pointer, unit, 0);
  SUCCEED(dart_put(target, sent, ELEMENTS, here->type, there->type));
  SUCCEED(dart_flush(target));
  barrier();
  fill(expected, -5000);
  move(expected, there, sent, here, width);
  SUCCEED(dart_get_blocking(found, target, SPAN, DART_TYPE_INT, DART_TYPE_INT));
  CHECK(memcmp(found, expected, sizeof found) == 0);
  fill(found, 77);
  fill(expected, 77);
  move(expected, here, sent, here, width);
  SUCCEED(dart_get(found, target, ELEMENTS, there->type, here->type));
  SUCCEED(dart_flush_local(target));
  CHECK(memcmp(found, expected, sizeof found) == 0);
  release(pointer);
}

/* Each shape with each; the target is the neighbour, and for every second pair the unit itself. */
static void each_with_each(dart_datatype_t base, size_t width) {
  const size_t lengths[] = {1, 3, 2}, offsets[] = {7, 0, 4}, others[] = {5, 10}, places[] = {12, 0};
  shape_t shapes[] = {plain(base),
                      strided(base, 1, 1),
                      strided(base, 2, 1),
                      strided(base, 5, 3),
                      indexed(base, 3, lengths, offsets),
                      indexed(base, 2, others, places)};
  enum { SHAPES = sizeof shapes / sizeof shapes[0] };
  for (int i = 0; i < SHAPES; ++i)
    for (int j = 0; j < SHAPES; ++j) there_and_back(&shapes[i], &shapes[j], width, (i + j) % 3 == 0 ? me() : next());
  for (int i = 1; i < SHAPES; ++i) SUCCEED(dart_type_destroy(&shapes[i].type));
}

static void destroyed_while_under_way(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, SPAN, DART_TYPE_INT);
  int sent[SPAN], expected[SPAN] = {0};
  dart_handle_t handle;
  fill(sent, me());
  shape_t shape = strided(DART_TYPE_INT, 4, 2);
  SUCCEED(dart_put_handle(at(pointer, next(), 0), sent, ELEMENTS, shape.type, shape.type, &handle));
  SUCCEED(dart_type_destroy(&shape.type));
  SUCCEED(dart_wait(&handle));
  barrier();
  fill(sent, previous());
  move(expected, &shape, sent, &shape, 1);
  CHECK(memcmp(own_part(pointer), expected, sizeof expected) == 0);
  release(pointer);
}

static void wrong_numbers_are_refused(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, SPAN, DART_TYPE_INT);
  int values[SPAN];
  const size_t lengths[] = {2, 3}, offsets[] = {0, 4};
  shape_t blocks = strided(DART_TYPE_INT, 5, 3), list = indexed(DART_TYPE_INT, 2, lengths, offsets),
          doubles = strided(DART_TYPE_DOUBLE, 2, 1);
  REFUSED(dart_put(pointer, values, 10, blocks.type, DART_TYPE_INT)); /* no multiple of 3 */
  REFUSED(dart_get(values, pointer, 9, list.type, DART_TYPE_INT));    /* nor of 5 */
  REFUSED(dart_get(values, pointer, 10, list.type, doubles.type));
  REFUSED(dart_put(pointer, values, 6, doubles.type, DART_TYPE_INT));
  REFUSED(dart_get(values, pointer, 360, blocks.type, DART_TYPE_INT)); /* the last block lies beyond the end */
  const size_t most = ~(size_t)0;
  shape_t far = strided(DART_TYPE_INT, most / 4, 1);
  fill(own_part(pointer), 1);
  REFUSED(dart_put(at(pointer, me(), 8), values, 5, DART_TYPE_INT, far.type)); /* its places come round to small ones */
  REFUSED(dart_put(at(pointer, me(), 8), values, 5, far.type, DART_TYPE_INT));
  REFUSED(dart_put(at(pointer, me(), 8), values, 2, DART_TYPE_INT, far.type));
  for (int i = 0; i < SPAN; ++i) CHECK(((int*)own_part(pointer))[i] == 1 + i);
  SUCCEED(dart_type_destroy(&far.type));
  SUCCEED(dart_get(values, pointer, 306, blocks.type, DART_TYPE_INT)); /* and here it ends just before */
  SUCCEED(dart_flush(pointer));
  SUCCEED(dart_type_destroy(&blocks.type));
  SUCCEED(dart_type_destroy(&list.type));
  SUCCEED(dart_type_destroy(&doubles.type));
  release(pointer);
}

void test_shapes(void) {
  dart_datatype_t pair;
  each_with_each(DART_TYPE_INT, 1);
  SUCCEED(dart_type_create_custom(2 * sizeof(int), &pair));
  each_with_each(pair, 2);
  SUCCEED(dart_type_destroy(&pair));
  destroyed_while_under_way();
  wrong_numbers_are_refused();
}
