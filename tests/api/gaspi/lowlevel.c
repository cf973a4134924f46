/* GASPI_Lowlevel.h: tagged requests. */
#include "check.h"

#include <GASPI_Lowlevel.h>

#include <pthread.h>

enum { REQUESTS = 400, THREADS = 4, SLOT = 16 };

static unsigned* data;

static gaspi_rank_t next(void) {
  return (gaspi_rank_t)((my_rank() + 1) % num_ranks());
}

/* Offsets of this rank's words: what it sends, what it is sent, and what it reads. */
static gaspi_offset_t out(unsigned i) {
  return (gaspi_offset_t)i * SLOT;
}
static gaspi_offset_t in(unsigned i) {
  return (gaspi_offset_t)(REQUESTS + i) * SLOT;
}
static gaspi_offset_t back(unsigned i) {
  return (gaspi_offset_t)(2 * REQUESTS + i) * SLOT;
}
static unsigned* word(gaspi_offset_t offset) {
  return data + offset / sizeof(unsigned);
}

static void submit(gaspi_operation_kind_t kind, gaspi_tag_t tag, gaspi_offset_t here, gaspi_offset_t there,
                   gaspi_notification_id_t flag) {
  gaspi_return_t code;
  while ((code = gaspi_operation_submit(kind, tag, 0, here, next(), 0, there, sizeof(unsigned), flag, 7, 1,
                                        PATIENCE)) == GASPI_QUEUE_FULL) {
    sleep_ms(1); /* another thread takes the tags */
  }
  EXPECT(GASPI_SUCCESS, code);
}

/* Takes tags until each of 1 .. REQUESTS has come back once. */
static void collect_all(void) {
  unsigned char seen[REQUESTS + 1] = {0};
  gaspi_number_t left = REQUESTS;
  while (left > 0) {
    gaspi_tag_t tags[10];
    gaspi_status_t statuses[10];
    gaspi_number_t done = 99;
    const gaspi_return_t code = gaspi_request_wait(1, 10, &done, tags, statuses, left % 2 ? GASPI_TEST : 100);
    CHECK(code == GASPI_SUCCESS || (code == GASPI_TIMEOUT && done == 0));
    CHECK(done <= 10);
    for (gaspi_number_t i = 0; i < done; ++i) {
      CHECK(tags[i] >= 1 && tags[i] <= REQUESTS && !seen[tags[i]] && statuses[i].error == GASPI_SUCCESS);
      seen[tags[i]] = 1;
    }
    left -= done;
  }
}

static void check_kinds(void) {
  for (unsigned i = 0; i < REQUESTS; ++i) *word(out(i)) = 1000u * my_rank() + i;
  barrier();
  for (unsigned i = 0; i < REQUESTS; ++i) {
    if (i % 4 == 0) submit(GASPI_OP_WRITE, i + 1, out(i), in(i), 0);
    if (i % 4 == 1) submit(GASPI_OP_WRITE_NOTIFY, i + 1, out(i), in(i), i);
    if (i % 4 == 2) submit(GASPI_OP_READ, i + 1, back(i), out(i), 0);
    if (i % 4 == 3) submit(GASPI_OP_NOTIFY, i + 1, 0, 0, i);
  }
  gaspi_number_t open = 0;
  SUCCEED(gaspi_queue_size(1, &open));
  CHECK(open == REQUESTS); /* until the tags have been taken */
  collect_all();
  SUCCEED(gaspi_queue_size(1, &open));
  CHECK(open == 0);
  const unsigned previous = (unsigned)((my_rank() + num_ranks() - 1) % num_ranks());
  for (unsigned i = 0; i < REQUESTS; ++i) {
    if (i % 4 == 2) CHECK(*word(back(i)) == 1000u * next() + i); /* read: there when the tag is back */
    if (i % 2 == 1) CHECK(take_flag(0, i) == 7);
    if (i % 4 == 1) CHECK(*word(in(i)) == 1000u * previous + i);
  }
  SUCCEED(gaspi_wait(1, PATIENCE));
  barrier();
}

static void check_lists(void) {
  gaspi_segment_id_t segments[3] = {0, 0, 0};
  gaspi_offset_t here[3] = {out(0), out(1), out(2)};
  gaspi_offset_t there[3] = {in(0), in(1), in(2)};
  gaspi_offset_t from[3] = {out(0), out(1), out(2)};
  gaspi_offset_t to[3] = {back(0), back(1), back(2)};
  gaspi_size_t sizes[3] = {4, 4, 4};
  gaspi_tag_t tag = 0;
  gaspi_status_t status;
  gaspi_number_t done = 0;
  memset(word(in(0)), 0, 3 * SLOT);
  barrier();
  SUCCEED(gaspi_operation_list_submit(GASPI_OP_WRITE_LIST, 5, 3, segments, here, next(), segments, there, sizes, 0, 0,
                                      0, 2, PATIENCE));
  SUCCEED(gaspi_request_wait(2, 1, &done, &tag, &status, PATIENCE));
  CHECK(done == 1 && tag == 5 && status.error == GASPI_SUCCESS);
  SUCCEED(gaspi_operation_list_submit(GASPI_OP_WRITE_LIST_NOTIFY, 6, 3, segments, here, next(), segments, there, sizes,
                                      0, 500, 8, 2, PATIENCE));
  SUCCEED(gaspi_operation_list_submit(GASPI_OP_READ_LIST, 7, 3, segments, to, next(), segments, from, sizes, 0, 0, 0, 2,
                                      PATIENCE));
  for (gaspi_tag_t sum = 0; sum < 13; sum += tag) SUCCEED(gaspi_request_wait(2, 1, &done, &tag, &status, PATIENCE));
  CHECK(take_flag(0, 500) == 8);
  const unsigned previous = (unsigned)((my_rank() + num_ranks() - 1) % num_ranks());
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(*word(in(i)) == 1000u * previous + i && *word(back(i)) == 1000u * next() + i);
  }
  barrier();
}

static void* submit_some(void* argument) {
  const unsigned first = (unsigned)(size_t)argument;
  for (unsigned i = first; i < REQUESTS; i += THREADS) submit(GASPI_OP_WRITE, i + 1, out(i), in(i), 0);
  return NULL;
}

/* Tasks submit, somebody else polls. */
static void check_threads(void) {
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[i], NULL, submit_some, (void*)i) == 0);
  collect_all();
  for (size_t i = 0; i < THREADS; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  barrier();
}

static void check_limits(void) {
  gaspi_number_t most = 0;
  gaspi_number_t done = 0;
  gaspi_tag_t tags[64];
  gaspi_status_t statuses[64];
  SUCCEED(gaspi_queue_size_max(&most));
  for (gaspi_number_t i = 0; i < most; ++i)
    SUCCEED(gaspi_operation_submit(GASPI_OP_WRITE, 9, 0, out(0), next(), 0, in(0), 4, 0, 0, 3, PATIENCE));
  EXPECT(GASPI_QUEUE_FULL,
         gaspi_operation_submit(GASPI_OP_WRITE, 9, 0, out(0), next(), 0, in(0), 4, 0, 0, 3, PATIENCE));
  for (gaspi_number_t taken = 0; taken < most; taken += done)
    SUCCEED(gaspi_request_wait(3, 64, &done, tags, statuses, PATIENCE));
  SUCCEED(gaspi_request_wait(3, 64, &done, tags, statuses, GASPI_BLOCK)); /* nothing to wait for */
  CHECK(done == 0);
  barrier();
}

static void check_errors(void) {
  gaspi_segment_id_t segment = 0;
  gaspi_offset_t offset = 0;
  gaspi_size_t size = 4;
  gaspi_number_t number = 0;
  gaspi_tag_t tag = 0;
  gaspi_status_t status;
  const gaspi_rank_t me = my_rank();
#define SUBMIT(code, kind, local, here, rank, remote, there, bytes, flag, value, queue) \
  EXPECT(code, gaspi_operation_submit(kind, 1, local, here, rank, remote, there, bytes, flag, value, queue, PATIENCE))
  SUBMIT(GASPI_ERR_INV_NUM, GASPI_OP_WRITE_LIST, 0, 0, me, 0, 0, 4, 0, 1, 0);
  SUBMIT(GASPI_ERR_INV_NUM, (gaspi_operation_kind_t)7, 0, 0, me, 0, 0, 4, 0, 1, 0);
  SUBMIT(GASPI_ERR_INV_QUEUE, GASPI_OP_WRITE, 0, 0, me, 0, 0, 4, 0, 1, 99);
  SUBMIT(GASPI_ERR_INV_SEG, GASPI_OP_READ, 9, 0, me, 0, 0, 4, 0, 1, 0);
  SUBMIT(GASPI_ERR_INV_SEG, GASPI_OP_NOTIFY, 9, 0, me, 9, 0, 4, 0, 1, 0);
  SUBMIT(GASPI_ERR_INV_RANK, GASPI_OP_WRITE, 0, 0, num_ranks(), 0, 0, 4, 0, 1, 0);
  SUBMIT(GASPI_ERR_INV_LOC_OFF, GASPI_OP_WRITE, 0, ~0ul, me, 0, 0, 4, 0, 1, 0);
  SUBMIT(GASPI_ERR_INV_REM_OFF, GASPI_OP_WRITE_NOTIFY, 0, 0, me, 0, ~0ul, 4, 0, 1, 0);
  SUBMIT(GASPI_ERR_INV_NOTIF_ID, GASPI_OP_NOTIFY, 0, 0, me, 0, 0, 4, 65536, 1, 0);
  SUBMIT(GASPI_ERR_INV_NOTIF_VAL, GASPI_OP_NOTIFY, 0, 0, me, 0, 0, 4, 0, 0, 0);
#undef SUBMIT
  EXPECT(GASPI_ERR_INV_NUM, gaspi_operation_list_submit(GASPI_OP_WRITE, 1, 1, &segment, &offset, me, &segment, &offset,
                                                        &size, 0, 0, 0, 0, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_operation_list_submit(GASPI_OP_WRITE_LIST, 1, 1, NULL, &offset, me, &segment, &offset,
                                                        &size, 0, 0, 0, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_NOTIF_VAL, gaspi_operation_list_submit(GASPI_OP_WRITE_LIST_NOTIFY, 1, 1, &segment, &offset, me,
                                                              &segment, &offset, &size, 0, 0, 0, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_operation_get_num_requests((gaspi_operation_kind_t)7, 1, &number));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_operation_get_num_requests(GASPI_OP_WRITE, 1, NULL));
  SUCCEED(gaspi_operation_get_num_requests(GASPI_OP_WRITE_LIST, 3, &number));
  CHECK(number == 1);
  EXPECT(GASPI_ERR_INV_QUEUE, gaspi_request_wait(99, 1, &number, &tag, &status, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_request_wait(0, 1, NULL, &tag, &status, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_request_wait(0, 1, &number, NULL, &status, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_request_wait(0, 1, &number, &tag, NULL, PATIENCE));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_request_wait(0, 0, &number, &tag, &status, PATIENCE));
  /* Without a tag it is an ordinary request, and what was refused has left nothing behind. */
  SUCCEED(gaspi_operation_submit(GASPI_OP_WRITE, GASPI_TAG_NULL, 0, 0, me, 0, back(9), 4, 0, 0, 0, PATIENCE));
  SUCCEED(gaspi_request_wait(0, 1, &number, &tag, &status, PATIENCE));
  CHECK(number == 0);
  SUCCEED(gaspi_wait(0, PATIENCE));
  barrier();
}

int main(void) {
  gaspi_number_t number = 0;
  EXPECT(GASPI_ERR_NOINIT, gaspi_request_wait(0, 1, &number, NULL, NULL, PATIENCE));
  EXPECT(GASPI_ERR_NOINIT, gaspi_operation_submit(GASPI_OP_WRITE, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, PATIENCE));
  SUCCEED(gaspi_proc_init(PATIENCE));
  data = create_segment(0, 3 * REQUESTS * SLOT);
  check_kinds();
  check_lists();
  check_threads();
  check_limits();
  check_errors();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
