/* GASPI 17.1, sections 8.2.3, 8.5 and 12.3. */
#include "check.h"

static gaspi_number_t count_queues(void) {
  gaspi_number_t number = 0;
  SUCCEED(gaspi_queue_num(&number));
  return number;
}

static void check_creation(void) {
  gaspi_number_t most = 0;
  gaspi_queue_id_t queue = 0;
  SUCCEED(gaspi_queue_max(&most));
  CHECK(count_queues() == 8 && most == 16);
  for (gaspi_number_t n = 8; n < most; ++n) {
    SUCCEED(gaspi_queue_create(&queue, PATIENCE));
    CHECK(queue == n);
  }
  EXPECT(GASPI_ERR_INV_NUM, gaspi_queue_create(&queue, PATIENCE));
  CHECK(count_queues() == most);
  SUCCEED(gaspi_queue_delete(11));
  EXPECT(GASPI_ERR_INV_QUEUE, gaspi_queue_delete(11));
  EXPECT(GASPI_ERR_INV_QUEUE, gaspi_write(0, 0, my_rank(), 0, 8, 8, 11, PATIENCE));
  SUCCEED(gaspi_queue_create(&queue, PATIENCE));
  CHECK(queue == 11);
  for (gaspi_number_t n = 8; n < most; ++n) SUCCEED(gaspi_queue_delete((gaspi_queue_id_t)n));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_queue_create(NULL, PATIENCE));
}

/* A request counts until somebody has waited for it. */
static void check_full(void) {
  gaspi_number_t most = 0;
  gaspi_number_t open = 0;
  gaspi_notification_id_t first = 0;
  SUCCEED(gaspi_queue_size_max(&most));
  SUCCEED(gaspi_wait(2, PATIENCE));
  for (gaspi_number_t i = 0; i < most; ++i) {
    SUCCEED(gaspi_queue_size(2, &open));
    CHECK(open == i);
    SUCCEED(gaspi_write(0, 0, (gaspi_rank_t)(i % num_ranks()), 0, 900, 4, 2, PATIENCE));
  }
  gaspi_segment_id_t segment = 0;
  gaspi_offset_t offset = 0;
  gaspi_size_t size = 4;
  const gaspi_rank_t me = my_rank();
  EXPECT(GASPI_QUEUE_FULL, gaspi_write(0, 0, me, 0, 904, 4, 2, PATIENCE));
  EXPECT(GASPI_QUEUE_FULL, gaspi_read(0, 0, me, 0, 904, 4, 2, GASPI_BLOCK));
  EXPECT(GASPI_QUEUE_FULL, gaspi_notify(0, me, 3, 1, 2, GASPI_TEST));
  EXPECT(GASPI_QUEUE_FULL, gaspi_write_notify(0, 0, me, 0, 904, 4, 3, 1, 2, PATIENCE));
  EXPECT(GASPI_QUEUE_FULL, gaspi_read_notify(0, 0, me, 0, 904, 4, 3, 2, PATIENCE));
  EXPECT(GASPI_QUEUE_FULL, gaspi_write_list(1, &segment, &offset, me, &segment, &offset, &size, 2, PATIENCE));
  EXPECT(GASPI_QUEUE_FULL, gaspi_read_list(1, &segment, &offset, me, &segment, &offset, &size, 2, PATIENCE));
  EXPECT(GASPI_QUEUE_FULL,
         gaspi_write_list_notify(1, &segment, &offset, me, &segment, &offset, &size, 0, 3, 1, 2, PATIENCE));
  EXPECT(GASPI_QUEUE_FULL,
         gaspi_read_list_notify(1, &segment, &offset, me, &segment, &offset, &size, 0, 3, 2, PATIENCE));
  EXPECT(GASPI_TIMEOUT, gaspi_notify_waitsome(0, 3, 1, &first, GASPI_TEST));
  SUCCEED(gaspi_write(0, 0, me, 0, 904, 4, 3, PATIENCE)); /* another queue has room, and nobody is corrupt */
  SUCCEED(gaspi_wait(3, PATIENCE));
  SUCCEED(gaspi_wait(2, PATIENCE));
  SUCCEED(gaspi_queue_size(2, &open));
  CHECK(open == 0);
  SUCCEED(gaspi_write(0, 0, me, 0, 904, 4, 2, PATIENCE));
  EXPECT(GASPI_ERR_INV_SEG, gaspi_write(0, 0, me, 9, 904, 4, 2, PATIENCE)); /* a refused request takes no room */
  SUCCEED(gaspi_queue_size(2, &open));
  CHECK(open == 1);
  SUCCEED(gaspi_queue_purge(2, PATIENCE));
  SUCCEED(gaspi_queue_size(2, &open));
  CHECK(open == 0);
  barrier();
}

static gaspi_number_t size_of(gaspi_queue_id_t queue) {
  gaspi_number_t open = 0;
  SUCCEED(gaspi_queue_size(queue, &open));
  return open;
}

/* A list counts as its elements. One that is longer than the room left is refused, and takes none of it. */
static void check_lists(void) {
  enum { COUNT = 100 };
  gaspi_segment_id_t segments[COUNT] = {0};
  gaspi_offset_t offsets[COUNT] = {0};
  gaspi_size_t sizes[COUNT];
  gaspi_number_t most = 0;
  const gaspi_rank_t next = (gaspi_rank_t)((my_rank() + 1) % num_ranks());
  SUCCEED(gaspi_queue_size_max(&most));
  for (int i = 0; i < COUNT; ++i) sizes[i] = 0;
#define WRITE(num) gaspi_write_list(num, segments, offsets, next, segments, offsets, sizes, 4, PATIENCE)
  gaspi_number_t open = 0;
  for (; open + COUNT <= most; open += COUNT) {
    SUCCEED(WRITE(COUNT));
    CHECK(size_of(4) == open + COUNT);
  }
  EXPECT(GASPI_QUEUE_FULL, WRITE(COUNT));
  CHECK(size_of(4) == open);
  SUCCEED(WRITE(most - open));
  EXPECT(GASPI_QUEUE_FULL, WRITE(1));
  SUCCEED(gaspi_wait(4, PATIENCE));
  CHECK(size_of(4) == 0);
  SUCCEED(gaspi_read_list(COUNT, segments, offsets, next, segments, offsets, sizes, 4, PATIENCE));
  CHECK(size_of(4) == COUNT);
#undef WRITE
  SUCCEED(gaspi_wait(4, PATIENCE));
  barrier();
}

/* The commonest loop there is: post while the queue has room, then wait. What is full below it is no full queue. */
static void check_own_count_decides(void) {
  enum { BYTES = 8, ROUNDS = 20 };
  gaspi_number_t most = 0;
  const gaspi_rank_t next = (gaspi_rank_t)((my_rank() + 1) % num_ranks());
  SUCCEED(gaspi_queue_size_max(&most));
  for (gaspi_number_t i = 0; i < ROUNDS * most; ++i) {
    if (size_of(5) == most) SUCCEED(gaspi_wait(5, PATIENCE));
    SUCCEED(gaspi_write(0, 0, next, 0, 512, BYTES, 5, GASPI_BLOCK));
  }
  SUCCEED(gaspi_wait(5, PATIENCE));
  /* Who does not want to wait is told so, and takes no room. */
  for (gaspi_number_t i = 0; i < ROUNDS * most; ++i) {
    const gaspi_number_t before = size_of(5);
    const gaspi_return_t code = gaspi_write(0, 0, next, 0, 512, BYTES, 5, GASPI_TEST);
    CHECK(code == GASPI_SUCCESS || code == GASPI_TIMEOUT || (code == GASPI_QUEUE_FULL && before == most));
    CHECK(size_of(5) == before + (code == GASPI_SUCCESS));
    if (code == GASPI_QUEUE_FULL) SUCCEED(gaspi_wait(5, PATIENCE));
  }
  SUCCEED(gaspi_wait(5, PATIENCE));
  barrier();
}

/* More requests than queue_size_max, as programs write it: full means wait and post again. */
static void check_back_pressure(unsigned* data) {
  const gaspi_rank_t num = num_ranks();
  gaspi_number_t most = 0;
  gaspi_number_t open = 0;
  SUCCEED(gaspi_queue_size_max(&most));
  for (unsigned i = 0; i < 4 * most; ++i) {
    const gaspi_rank_t rank = (gaspi_rank_t)(i % num);
    data[0] = i;
    gaspi_return_t code;
    while ((code = gaspi_write(0, 0, rank, 0, 8 + 4ul * my_rank(), 4, 1, PATIENCE)) == GASPI_QUEUE_FULL) {
      SUCCEED(gaspi_wait(1, PATIENCE));
    }
    EXPECT(GASPI_SUCCESS, code);
    SUCCEED(gaspi_queue_size(1, &open));
    CHECK(open <= most);
    SUCCEED(gaspi_wait(1, PATIENCE)); /* data[0] is ours again */
  }
  SUCCEED(gaspi_queue_size(1, &open));
  CHECK(open == 0);
  barrier();
  for (gaspi_rank_t rank = 0; rank < num; ++rank) CHECK(data[2 + rank] >= 4 * most - num && data[2 + rank] < 4 * most);
  barrier();
}

int main(void) {
  gaspi_number_t open = 99;
  SUCCEED(gaspi_proc_init(PATIENCE));
  unsigned* const data = create_segment(0, 1024);
  check_creation();
  check_full();
  check_back_pressure(data);
  check_lists();
  check_own_count_decides();
  for (gaspi_queue_id_t queue = 0; queue < 8; ++queue) {
    SUCCEED(gaspi_wait(queue, GASPI_TEST));
    SUCCEED(gaspi_queue_size(queue, &open));
    CHECK(open == 0);
    SUCCEED(gaspi_queue_purge(queue, PATIENCE));
  }
  EXPECT(GASPI_ERR_INV_QUEUE, gaspi_wait(8, PATIENCE));
  EXPECT(GASPI_ERR_INV_QUEUE, gaspi_queue_size(8, &open));
  EXPECT(GASPI_ERR_INV_QUEUE, gaspi_queue_purge(8, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_queue_size(0, NULL));
  /* A queue with requests on it may go: they are waited for. */
  data[0] = 4711;
  for (int i = 0; i < 100; ++i) SUCCEED(gaspi_write(0, 0, my_rank(), 0, 512, 4, 7, PATIENCE));
  SUCCEED(gaspi_queue_delete(7));
  CHECK(data[128] == 4711);
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
