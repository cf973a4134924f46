/* GASPI 17.1, section 9. */
#include "check.h"

enum { SIZE = 1 << 18, MOST = 65535, MESSAGES = 200 };

static unsigned char pattern(gaspi_rank_t rank, unsigned message, gaspi_size_t i) {
  return (unsigned char)(rank * 101 + message * 13 + i);
}

static gaspi_size_t size_of(unsigned message) {
  return message % 20 == 19 ? MOST : 16 + message * 37 % 3000;
}

/* All send to rank 0, which knows neither who is next nor how much comes: the first bytes tell. */
static void check_many_to_one(unsigned char* data) {
  const gaspi_rank_t me = my_rank();
  if (me != 0) {
    for (unsigned message = 0; message < MESSAGES; ++message) {
      const gaspi_size_t size = size_of(message);
      for (gaspi_size_t i = 0; i < size; ++i) data[i] = pattern(me, message, i);
      SUCCEED(gaspi_passive_send(0, 0, 0, size, PATIENCE));
    }
    return;
  }
  unsigned received[64] = {0};
  for (unsigned n = 0; n < (num_ranks() - 1u) * MESSAGES; ++n) {
    gaspi_rank_t from = 0;
    SUCCEED(gaspi_passive_receive(0, 0, &from, MOST, PATIENCE));
    CHECK(from > 0 && from < num_ranks());
    const unsigned message = received[from]++;
    const gaspi_size_t size = size_of(message);
    for (gaspi_size_t i = 0; i < size; ++i) CHECK(data[i] == pattern(from, message, i));
  }
  for (gaspi_rank_t rank = 1; rank < num_ranks(); ++rank) CHECK(received[rank] == MESSAGES);
}

/* A send cannot succeed before a receive takes it. After a timeout it is gone on with: the data comes once. */
static void check_timeout(unsigned char* data) {
  const gaspi_rank_t me = my_rank();
  gaspi_rank_t from = 99;
  barrier();
  if (me == 1) {
    memset(data, 0x77, 100);
    EXPECT(GASPI_TIMEOUT, gaspi_passive_send(0, 0, 0, 100, GASPI_TEST));
    EXPECT(GASPI_TIMEOUT, gaspi_passive_send(0, 0, 0, 100, 20));
  }
  if (me == 0 && num_ranks() == 1) EXPECT(GASPI_TIMEOUT, gaspi_passive_receive(0, 0, &from, MOST, GASPI_TEST));
  barrier();
  if (num_ranks() > 1 && me == 0) {
    EXPECT(GASPI_ERR_INV_SIZE, gaspi_passive_receive(0, 0, &from, 99, PATIENCE));
    memset(data, 0, 128);
    SUCCEED(gaspi_passive_receive(0, 0, &from, 128, PATIENCE));
    CHECK(from == 1 && data[0] == 0x77 && data[99] == 0x77 && data[100] == 0);
  }
  if (me == 1) SUCCEED(gaspi_passive_send(0, 0, 0, 100, PATIENCE));
  barrier();
  const double start = now_ms();
  EXPECT(GASPI_TIMEOUT, gaspi_passive_receive(0, 0, &from, MOST, 30));
  CHECK(now_ms() - start >= 29);
  barrier();
}

/* A receive that only ever looks comes to its end, too, and leaves the memory alone after each look that found nothing.
 * `busy`: with much else under way to the sender. */
static void check_polled_receive(unsigned char* data, int busy) {
  enum { BYTES = 50000, PLACE = 100000, POSTS = 900 };
  const double end = now_ms() + PATIENCE;
  gaspi_return_t code = GASPI_TIMEOUT;
  gaspi_rank_t from = 99;
  if (num_ranks() == 1) return;
  barrier();
  if (my_rank() == 1) {
    for (gaspi_size_t i = 0; i < BYTES; ++i) data[i] = pattern(1, 7, i);
    SUCCEED(gaspi_passive_send(0, 0, 0, BYTES, PATIENCE));
  }
  if (my_rank() == 0) {
    memset(data + PLACE, 0x5a, BYTES);
    if (busy)
      for (int i = 0; i < POSTS; ++i) SUCCEED(gaspi_write(0, 0, 1, 0, PLACE, 2000, 0, PATIENCE));
    while ((code = gaspi_passive_receive(0, PLACE, &from, BYTES, GASPI_TEST)) == GASPI_TIMEOUT) {
      CHECK(now_ms() < end);
      for (int i = 0; i < 1000; ++i) CHECK(((volatile unsigned char*)data)[PLACE + i * 50] == 0x5a);
    }
    EXPECT(GASPI_SUCCESS, code);
    CHECK(from == 1);
    for (gaspi_size_t i = 0; i < BYTES; ++i) CHECK(data[PLACE + i] == pattern(1, 7, i));
    SUCCEED(gaspi_wait(0, PATIENCE));
  }
  barrier();
}

/* What nobody took is taken back by a purge at the sender, which may send something else from the same place then. */
static void check_purge(unsigned char* data) {
  const gaspi_rank_t me = my_rank();
  gaspi_rank_t from = 99;
  if (num_ranks() == 1) return;
  if (me == 1) {
    memset(data, 0x11, 8);
    EXPECT(GASPI_TIMEOUT, gaspi_passive_send(0, 0, 0, 8, GASPI_TEST));
    SUCCEED(gaspi_passive_queue_purge(PATIENCE));
    memset(data, 0x22, 8);
    EXPECT(GASPI_TIMEOUT, gaspi_passive_send(0, 0, 0, 8, GASPI_TEST));
  }
  barrier();
  if (me == 0) {
    SUCCEED(gaspi_proc_ping(1, PATIENCE));        /* what it sent before it answers has come */
    SUCCEED(gaspi_passive_queue_purge(PATIENCE)); /* rank 1 lives: its offer stays */
    SUCCEED(gaspi_passive_receive(0, 0, &from, 8, PATIENCE));
    CHECK(from == 1 && data[0] == 0x22);
    EXPECT(GASPI_TIMEOUT, gaspi_passive_receive(0, 0, &from, 8, GASPI_TEST));
  }
  barrier();
  if (me == 1) SUCCEED(gaspi_passive_send(0, 0, 0, 8, PATIENCE));
}

static void check_self(unsigned char* data) {
  gaspi_rank_t from = 99;
  data[0] = 42;
  EXPECT(GASPI_TIMEOUT, gaspi_passive_send(0, 0, my_rank(), 1, GASPI_TEST));
  SUCCEED(gaspi_passive_receive(0, 5, &from, 1, PATIENCE));
  CHECK(from == my_rank() && data[5] == 42);
  SUCCEED(gaspi_passive_send(0, 0, my_rank(), 1, PATIENCE));
}

static void check_errors(void) {
  gaspi_rank_t from = 0;
  EXPECT(GASPI_ERR_INV_SEG, gaspi_passive_send(9, 0, 0, 8, PATIENCE));
  EXPECT(GASPI_ERR_INV_LOC_OFF, gaspi_passive_send(0, SIZE - 7, 0, 8, PATIENCE));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_passive_send(0, 0, num_ranks(), 8, PATIENCE));
  EXPECT(GASPI_ERR_INV_COMMSIZE, gaspi_passive_send(0, 0, 0, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_COMMSIZE, gaspi_passive_send(0, 0, 0, MOST + 1, PATIENCE));
  EXPECT(GASPI_ERR_INV_SEG, gaspi_passive_receive(9, 0, &from, 8, PATIENCE));
  EXPECT(GASPI_ERR_INV_LOC_OFF, gaspi_passive_receive(0, SIZE - 7, &from, 8, PATIENCE));
  EXPECT(GASPI_ERR_INV_COMMSIZE, gaspi_passive_receive(0, 0, &from, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_COMMSIZE, gaspi_passive_receive(0, 0, &from, MOST + 1, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_passive_receive(0, 0, NULL, 8, PATIENCE));
}

/* passive_queue_size_max sends can wait; one more is refused. */
static void check_full(void) {
  for (gaspi_offset_t i = 0; i < 8; ++i) EXPECT(GASPI_TIMEOUT, gaspi_passive_send(0, i, my_rank(), 1, GASPI_TEST));
  EXPECT(GASPI_ERROR, gaspi_passive_send(0, 8, my_rank(), 1, GASPI_TEST));
  for (int i = 0; i < 8; ++i) {
    gaspi_rank_t from = 0;
    SUCCEED(gaspi_passive_receive(0, 100, &from, 1, PATIENCE));
  }
  for (gaspi_offset_t i = 0; i < 8; ++i) SUCCEED(gaspi_passive_send(0, i, my_rank(), 1, PATIENCE));
}

int main(void) {
  gaspi_config_t config;
  SUCCEED(gaspi_config_get(&config));
  config.passive_queue_size_max = 8;
  SUCCEED(gaspi_config_set(config));
  SUCCEED(gaspi_proc_init(PATIENCE));
  unsigned char* const data = create_segment(0, SIZE);
  check_many_to_one(data);
  check_timeout(data);
  check_polled_receive(data, 0);
  check_polled_receive(data, 1);
  check_purge(data);
  check_self(data);
  check_full();
  check_errors();
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
