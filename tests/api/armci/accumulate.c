/* y += scale * x for the six types, contiguous and strided, and from all ranks at once. */
#include "check.h"

#include <complex.h>

enum { ELEMENTS = 3000 };

/* Each rank adds scale * (i + rank) to element i at rank 0, so the sum is known. */
#define TEST_TYPE(NAME, TYPE, KIND, SCALE)                                                                            \
  static void of_##NAME(void* parts[]) {                                                                              \
    static TYPE mine[ELEMENTS], result[ELEMENTS];                                                                     \
    TYPE scale = SCALE;                                                                                               \
    memset(result, 0, sizeof result);                                                                                 \
    if (me() == 0) SUCCEED(ARMCI_Put(result, parts[0], sizeof result, 0));                                            \
    for (int i = 0; i < ELEMENTS; ++i) mine[i] = (TYPE)(i + me());                                                    \
    ARMCI_Barrier();                                                                                                  \
    SUCCEED(ARMCI_Acc(KIND, &scale, mine, parts[0], sizeof mine, 0));                                                 \
    ARMCI_Barrier();                                                                                                  \
    SUCCEED(ARMCI_Get(parts[0], result, sizeof result, 0));                                                           \
    for (int i = 0; i < ELEMENTS; ++i) CHECK(result[i] == scale * (TYPE)(i * ranks() + ranks() * (ranks() - 1) / 2)); \
    ARMCI_Barrier();                                                                                                  \
  }

TEST_TYPE(int, int, ARMCI_ACC_INT, -3)
TEST_TYPE(long, long, ARMCI_ACC_LNG, 1L << 33)
TEST_TYPE(float, float, ARMCI_ACC_FLT, 0.5f)
TEST_TYPE(double, double, ARMCI_ACC_DBL, 2.25)
TEST_TYPE(one, double, ARMCI_ACC_DBL, 1)
TEST_TYPE(complex, float complex, ARMCI_ACC_CPL, 1 + 2 * I)
TEST_TYPE(double_complex, double complex, ARMCI_ACC_DCP, -1 + 0.5 * I)

/* A patch of 20 x 30 of an array with rows of 50, at all ranks by all ranks; around it nothing changes. */
static void of_patches(void* parts[]) {
  enum { WIDTH = 50, ROWS = 20, COLUMNS = 30 };
  double patch[ROWS][COLUMNS], scale = 0.5, all[WIDTH * WIDTH];
  int local[1] = {sizeof patch[0]}, remote[1] = {WIDTH * sizeof(double)}, count[2] = {sizeof patch[0], ROWS};
  memset(parts[me()], 0, sizeof all);
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c) patch[r][c] = 100 * r + c;
  ARMCI_Barrier();
  for (int rank = 0; rank < ranks(); ++rank)
    SUCCEED(ARMCI_AccS(ARMCI_ACC_DBL, &scale, patch, local, (double*)parts[rank] + WIDTH + 3, remote, count, 1, rank));
  ARMCI_Barrier();
  SUCCEED(ARMCI_Get(parts[next()], all, sizeof all, next()));
  for (int i = 0; i < WIDTH * WIDTH; ++i) {
    const int r = i / WIDTH - 1, c = i % WIDTH - 3;
    const int inside = r >= 0 && r < ROWS && c >= 0 && c < COLUMNS;
    CHECK(all[i] == (inside ? 0.5 * ranks() * (100 * r + c) : 0));
  }
  ARMCI_Barrier();
}

/* Rows that begin anywhere, as in structures without padding; other processors than x86 refuse them. */
static void of_rows_anywhere(void* parts[]) {
#ifdef __x86_64__
  enum { ROWS = 25, COLUMNS = 8, STRIDE = COLUMNS * 8 + 3 };
  double patch[ROWS][COLUMNS], row[COLUMNS], scale = 2;
  int local[1] = {sizeof patch[0]}, remote[1] = {STRIDE}, count[2] = {sizeof patch[0], ROWS};
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c) patch[r][c] = 10 * r + c;
  memset(parts[me()], 0, ROWS * STRIDE + 1);
  ARMCI_Barrier();
  for (int rank = 0; rank < ranks(); ++rank)
    SUCCEED(ARMCI_AccS(ARMCI_ACC_DBL, &scale, patch, local, (char*)parts[rank] + 1, remote, count, 1, rank));
  ARMCI_Barrier();
  for (int r = 0; r < ROWS; ++r) {
    SUCCEED(ARMCI_Get((char*)parts[next()] + 1 + r * STRIDE, row, sizeof row, next()));
    for (int c = 0; c < COLUMNS; ++c) CHECK(row[c] == 2.0 * ranks() * (10 * r + c));
  }
  ARMCI_Barrier();
#else
  (void)parts;
#endif
}

/* Element-wise atomic: whoever adds where many add loses nothing. */
static void all_at_once(void* parts[]) {
  enum { TURNS = 2000 };
  double ones[4] = {1, 1, 1, 1}, scale = 1, sum[4];
  memset(parts[me()], 0, 100);
  ARMCI_Barrier();
  for (int turn = 0; turn < TURNS; ++turn)
    SUCCEED(ARMCI_Acc(ARMCI_ACC_DBL, &scale, ones, (double*)parts[0] + turn % 2, sizeof ones, 0));
  ARMCI_Barrier();
  SUCCEED(ARMCI_Get((double*)parts[0] + 1, sum, sizeof sum, 0));
  for (int i = 0; i < 3; ++i) CHECK(sum[i] == (double)TURNS * ranks());
  CHECK(sum[3] == TURNS / 2.0 * ranks());
  ARMCI_Barrier();
}

void test_accumulate(void) {
  void* parts[MOST_RANKS];
  allocate(parts, ELEMENTS * (long)sizeof(double complex));
  of_int(parts);
  of_long(parts);
  of_float(parts);
  of_double(parts);
  of_one(parts);
  of_complex(parts);
  of_double_complex(parts);
  of_patches(parts);
  of_rows_anywhere(parts);
  all_at_once(parts);
  release(parts);
}
