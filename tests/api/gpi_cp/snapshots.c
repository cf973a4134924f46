/* Checkpoints of GPI_CP in a job in which nobody dies: arguments, states, epochs, and what comes back. */
#include "check.h"

#include <gpi_cp.h>

enum { QUEUE = 4 };

/* Another segment, another place in it, at each rank. */
static gaspi_segment_id_t own_segment(void) {
  return (gaspi_segment_id_t)(3 + my_rank());
}
static gaspi_offset_t own_offset(void) {
  return 16 * (gaspi_offset_t)my_rank();
}

static unsigned char* make_range(gaspi_segment_id_t segment, gaspi_size_t size) {
  gaspi_pointer_t pointer = NULL;
  SUCCEED(gaspi_segment_alloc(segment, own_offset() + size + 1, GASPI_MEM_INITIALIZED));
  SUCCEED(gaspi_segment_ptr(segment, &pointer));
  return (unsigned char*)pointer + own_offset();
}

static void fill(unsigned char* range, gaspi_size_t size, int rank, int turn) {
  for (gaspi_size_t i = 0; i < size; ++i) range[i] = (unsigned char)(31 * rank + 7 * turn + (int)(i % 251));
}
static int holds(const unsigned char* range, gaspi_size_t size, int rank, int turn) {
  for (gaspi_size_t i = 0; i < size; ++i)
    if (range[i] != (unsigned char)(31 * rank + 7 * turn + (int)(i % 251))) return 0;
  return 1;
}

static gaspi_return_t init(gaspi_segment_id_t segment, gaspi_size_t size, gpi_cp_description_t saved) {
  return gpi_cp_init(segment, own_offset(), size, QUEUE, GPI_CP_POLICY_RING, GASPI_GROUP_ALL, saved, PATIENCE);
}

static gaspi_number_t epoch_of(gpi_cp_description_t saved) {
  gaspi_number_t epoch = 77;
  SUCCEED(gpi_cp_get_epoch(saved, &epoch));
  return epoch;
}

static void check_arguments(void) {
  float version = 0;
  SUCCEED(gpi_cp_version(&version));
  CHECK(version == 1.0f);
  EXPECT(GASPI_ERROR, gpi_cp_version(NULL));
  gpi_cp_description_t saved = GPI_CP_DESCRIPTION_INITIALIZER();
  CHECK(saved != NULL);
  const gaspi_segment_id_t segment = own_segment();
  make_range(segment, 64);
  EXPECT(GASPI_ERROR, gpi_cp_init(segment, 0, 64, QUEUE, GPI_CP_POLICY_RING, GASPI_GROUP_ALL, NULL, PATIENCE));
  EXPECT(GASPI_ERROR, gpi_cp_init(segment, 0, 64, QUEUE, (gpi_cp_policy_t)3, GASPI_GROUP_ALL, saved, PATIENCE));
  EXPECT(GASPI_ERROR, gpi_cp_init(segment, 0, 64, 200, GPI_CP_POLICY_RING, GASPI_GROUP_ALL, saved, PATIENCE));
  EXPECT(GASPI_ERROR, gpi_cp_init(segment, 0, 64, QUEUE, GPI_CP_POLICY_RING, 99, saved, PATIENCE));
  EXPECT(GASPI_ERROR, gpi_cp_init(200, 0, 64, QUEUE, GPI_CP_POLICY_RING, GASPI_GROUP_ALL, saved, PATIENCE));
  CHECK(strstr(gpi_cp_error_detail(), "segment 200") != NULL);
  EXPECT(GASPI_ERROR,
         gpi_cp_init(segment, own_offset() + 60, 8, QUEUE, GPI_CP_POLICY_RING, GASPI_GROUP_ALL, saved, PATIENCE));
  EXPECT(GASPI_ERROR, gpi_cp_init(segment, 0, ~0ul - 7, QUEUE, GPI_CP_POLICY_RING, GASPI_GROUP_ALL, saved, PATIENCE));
  EXPECT(GASPI_ERROR, gpi_cp_start(saved, PATIENCE));
  EXPECT(GASPI_ERROR, gpi_cp_commit(saved, PATIENCE));
  SUCCEED(gpi_cp_finalize(saved, PATIENCE)); /* a spare's, for all that is known */
  EXPECT(GASPI_ERROR, gpi_cp_finalize(NULL, PATIENCE));
  EXPECT(GASPI_ERROR, gpi_cp_start(NULL, PATIENCE));
  CHECK(!gpi_cp_get_state_in_progress(saved) && !gpi_cp_get_state_in_progress(NULL));
  CHECK(gpi_cp_get_receiver_ptr(saved) == NULL);
  free(saved);
  SUCCEED(gaspi_segment_delete(segment));
}

static void check_epochs(gaspi_size_t size) {
  const int me = my_rank(), before = (my_rank() + num_ranks() - 1) % num_ranks();
  const gaspi_segment_id_t segment = own_segment();
  unsigned char* range = make_range(segment, size);
  gpi_cp_description_t saved = GPI_CP_DESCRIPTION_INITIALIZER();
  SUCCEED(init(segment, size, saved));
  EXPECT(GASPI_ERROR, init(segment, size, saved));
  CHECK(epoch_of(saved) == 0 && gpi_cp_get_active_snapshot(saved) == 0);
  EXPECT(GASPI_ERROR, gpi_cp_rollback(saved, PATIENCE)); /* nothing was committed */
  SUCCEED(gpi_cp_commit(saved, PATIENCE));               /* nothing was started: it does nothing */
  for (int turn = 1; turn <= 5; ++turn) {
    fill(range, size, me, turn);
    SUCCEED(gpi_cp_start(saved, PATIENCE));
    CHECK(gpi_cp_get_state_in_progress(saved));
    EXPECT(GASPI_ERROR, gpi_cp_start(saved, PATIENCE));
    EXPECT(GASPI_ERROR, gpi_cp_finalize(saved, PATIENCE));
    EXPECT(GASPI_ERROR, gpi_cp_rollback(saved, PATIENCE));
    fill(range, size, me, 100); /* the copy has been taken */
    gaspi_return_t code;
    do code = gpi_cp_commit(saved, turn % 2 ? GASPI_TEST : 1);
    while (code == GASPI_TIMEOUT);
    EXPECT(GASPI_SUCCESS, code);
    CHECK(!gpi_cp_get_state_in_progress(saved));
    CHECK(epoch_of(saved) == (gaspi_number_t)turn);
    CHECK(gpi_cp_get_active_snapshot(saved) == (turn % 2 ? size : 0));
    unsigned char* const window = gpi_cp_get_receiver_ptr(saved);
    CHECK(size == 0 || window != NULL);
    SUCCEED(gpi_cp_read_buddy(saved, PATIENCE));
    CHECK(holds(window + gpi_cp_get_active_snapshot(saved), size, me, turn));
    CHECK(holds(window + (size - gpi_cp_get_active_snapshot(saved)), size, before, turn));
    CHECK(holds(range, size, me, 100));
    SUCCEED(gpi_cp_rollback(saved, PATIENCE));
    CHECK(holds(range, size, me, turn));
  }
  SUCCEED(gpi_cp_finalize(saved, PATIENCE));
  EXPECT(GASPI_ERROR, gpi_cp_start(saved, PATIENCE));
  free(saved);
  SUCCEED(gaspi_segment_delete(segment));
}

/* Two at once, of sizes that differ at each rank, started together and committed one after the other. */
static void check_two(void) {
  const int me = my_rank();
  const gaspi_size_t sizes[2] = {1000 + 100 * (gaspi_size_t)me, 40000};
  const gaspi_segment_id_t segments[2] = {own_segment(), 100};
  gpi_cp_description_t saved[2];
  unsigned char* ranges[2];
  for (int i = 0; i < 2; ++i) {
    ranges[i] = make_range(segments[i], sizes[i]);
    fill(ranges[i], sizes[i], me, 10 * i);
    saved[i] = GPI_CP_DESCRIPTION_INITIALIZER();
    SUCCEED(init(segments[i], sizes[i], saved[i]));
  }
  for (int i = 0; i < 2; ++i) SUCCEED(gpi_cp_start(saved[i], PATIENCE));
  for (int i = 0; i < 2; ++i) memset(ranges[i], 0, sizes[i]);
  for (int i = 0; i < 2; ++i) SUCCEED(gpi_cp_commit(saved[i], PATIENCE));
  for (int i = 0; i < 2; ++i) SUCCEED(gpi_cp_rollback(saved[i], PATIENCE));
  for (int i = 0; i < 2; ++i) {
    CHECK(holds(ranges[i], sizes[i], me, 10 * i));
    SUCCEED(gpi_cp_finalize(saved[i], PATIENCE));
    free(saved[i]);
    SUCCEED(gaspi_segment_delete(segments[i]));
  }
}

/* One rank begins with a group that does not come, and chooses another one. */
static void check_another_group(void) {
  const gaspi_segment_id_t segment = own_segment();
  gpi_cp_description_t saved = GPI_CP_DESCRIPTION_INITIALIZER();
  gaspi_group_t alone = 0;
  unsigned char* const range = make_range(segment, 100);
  fill(range, 100, my_rank(), 3);
  if (my_rank() == 0) {
    if (num_ranks() > 1)
      EXPECT(GASPI_TIMEOUT,
             gpi_cp_init(segment, own_offset(), 100, QUEUE, GPI_CP_POLICY_RING, GASPI_GROUP_ALL, saved, 1));
    SUCCEED(gaspi_group_create(&alone));
    SUCCEED(gaspi_group_add(alone, 0));
    SUCCEED(gaspi_group_commit(alone, PATIENCE));
    SUCCEED(gpi_cp_init(segment, own_offset(), 100, QUEUE, GPI_CP_POLICY_RING, alone, saved, PATIENCE));
    SUCCEED(gpi_cp_start(saved, PATIENCE));
    SUCCEED(gpi_cp_commit(saved, PATIENCE));
    fill(range, 100, 0, 4);
    SUCCEED(gpi_cp_rollback(saved, PATIENCE));
    CHECK(holds(range, 100, 0, 3));
    SUCCEED(gaspi_group_delete(alone));
  }
  SUCCEED(gpi_cp_finalize(saved, PATIENCE));
  free(saved);
  SUCCEED(gaspi_segment_delete(segment));
  barrier();
}

static void check_unused_segments(void) {
  gaspi_segment_id_t unused = 99;
  EXPECT(GASPI_ERROR, gpi_cp_get_unused_segment_id(NULL));
  SUCCEED(gpi_cp_get_unused_segment_id(&unused));
  CHECK(unused == 0);
  SUCCEED(gaspi_segment_alloc(0, 8, GASPI_MEM_INITIALIZED));
  SUCCEED(gaspi_segment_alloc(2, 8, GASPI_MEM_INITIALIZED));
  SUCCEED(gpi_cp_get_unused_segment_id(&unused));
  CHECK(unused == 1);
  SUCCEED(gaspi_segment_alloc(1, 8, GASPI_MEM_INITIALIZED));
  SUCCEED(gpi_cp_get_unused_segment_id(&unused));
  CHECK(unused == 3);
  for (gaspi_segment_id_t id = 0; id < 3; ++id) SUCCEED(gaspi_segment_delete(id));
}

int main(void) {
  float version = 0;
  gaspi_segment_id_t unused = 0;
  SUCCEED(gpi_cp_version(&version));
  EXPECT(GASPI_ERROR, gpi_cp_get_unused_segment_id(&unused)); /* before gaspi_proc_init */
  SUCCEED(gaspi_proc_init(PATIENCE));
  check_arguments();
  check_unused_segments();
  barrier();
  check_epochs(4097);
  check_epochs(0);
  check_epochs(3 << 20);
  check_two();
  check_another_group();
  make_range(own_segment(), 50);
  gpi_cp_description_t left = GPI_CP_DESCRIPTION_INITIALIZER();
  SUCCEED(init(own_segment(), 50, left));
  SUCCEED(gpi_cp_start(left, PATIENCE));
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE)); /* ends it */
  EXPECT(GASPI_ERROR, gpi_cp_commit(left, PATIENCE));
  CHECK(!gpi_cp_get_state_in_progress(left) && gpi_cp_get_receiver_ptr(left) == NULL);
  free(left);
  return EXIT_SUCCESS;
}
