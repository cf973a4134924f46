/* GASPI 17.1, sections 8.2 and 8.4.1, 8.4.4: contiguous transfers. */
#include "check.h"

enum { SIZE = 1 << 20, BLOCK = 4096 };

static unsigned char pattern(gaspi_rank_t rank, gaspi_size_t i) {
  return (unsigned char)(rank * 31 + i * 7 + 1);
}

static void fill(unsigned char* data, gaspi_size_t size) {
  for (gaspi_size_t i = 0; i < size; ++i) data[i] = pattern(my_rank(), i);
}

/* Everybody writes a block to everybody and reads one from everybody, in sizes from 1 byte up. */
static void check_all_to_all(unsigned char* source, unsigned char* target) {
  const gaspi_rank_t num = num_ranks();
  for (gaspi_size_t size = 1; size <= BLOCK; size = size * 3 + 1) {
    memset(target, 0, (size_t)2 * BLOCK * num);
    fill(source, BLOCK);
    barrier();
    for (gaspi_rank_t rank = 0; rank < num; ++rank) {
      SUCCEED(gaspi_write(0, 3, rank, 1, (gaspi_offset_t)BLOCK * my_rank(), size, rank % 8, PATIENCE));
      SUCCEED(gaspi_read(1, (gaspi_offset_t)BLOCK * (num + rank), rank, 0, 5, size, rank % 8, PATIENCE));
    }
    for (gaspi_queue_id_t queue = 0; queue < 8; ++queue) SUCCEED(gaspi_wait(queue, PATIENCE));
    barrier();
    for (gaspi_rank_t rank = 0; rank < num; ++rank) {
      const unsigned char* const written = target + (size_t)BLOCK * rank;
      const unsigned char* const read = target + (size_t)BLOCK * (num + rank);
      for (gaspi_size_t i = 0; i < size; ++i)
        CHECK(written[i] == pattern(rank, i + 3) && read[i] == pattern(rank, i + 5));
      CHECK(size == BLOCK || (written[size] == 0 && read[size] == 0));
    }
    barrier();
  }
}

/* Round and round the ring: the flag must never be seen before the data, large or small. */
static void check_write_notify(unsigned char* source, unsigned char* target) {
  const gaspi_rank_t next = (gaspi_rank_t)((my_rank() + 1) % num_ranks());
  const gaspi_rank_t previous = (gaspi_rank_t)((my_rank() + num_ranks() - 1) % num_ranks());
  for (unsigned round = 1; round <= 300; ++round) {
    const gaspi_size_t size = round % 10 == 0 ? SIZE / 4 : 1 + round;
    memset(source, (int)((round + my_rank()) % 251), size);
    SUCCEED(gaspi_write_notify(0, 0, next, 1, 0, size, 17, round, 0, PATIENCE));
    CHECK(take_flag(1, 17) == round);
    const unsigned char expected = (unsigned char)((round + previous) % 251);
    CHECK(target[0] == expected && target[size / 2] == expected && target[size - 1] == expected);
    SUCCEED(gaspi_wait(0, PATIENCE));
    /* The target is free again: tell the one who writes there. */
    SUCCEED(gaspi_notify(1, previous, 18, round, 0, PATIENCE));
    CHECK(take_flag(1, 18) == round);
  }
}

static void check_read_notify(unsigned char* source, unsigned char* target) {
  const gaspi_rank_t next = (gaspi_rank_t)((my_rank() + 1) % num_ranks());
  fill(source, SIZE / 2);
  barrier();
  for (gaspi_notification_id_t id = 0; id < 20; ++id) {
    const gaspi_size_t size = 1ul << id;
    if (size > SIZE / 2) break;
    memset(target, 0, size);
    SUCCEED(gaspi_read_notify(1, 0, next, 0, 0, size, id, 2, PATIENCE));
    CHECK(take_flag(1, id) == 1);
    for (gaspi_size_t i = 0; i < size; ++i) CHECK(target[i] == pattern(next, i));
  }
  SUCCEED(gaspi_wait(2, PATIENCE));
  barrier();
}

static void check_errors(unsigned char* target) {
  const gaspi_rank_t me = my_rank();
  const gaspi_rank_t none = num_ranks();
  memset(target, 0x5a, 64);
  barrier();
#define BOTH(code, ...)                   \
  EXPECT(code, gaspi_write(__VA_ARGS__)); \
  EXPECT(code, gaspi_read(__VA_ARGS__))
  BOTH(GASPI_ERR_INV_SEG, 9, 0, me, 1, 0, 8, 0, PATIENCE);
  BOTH(GASPI_ERR_INV_SEG, 0, 0, me, 9, 0, 8, 0, PATIENCE);
  BOTH(GASPI_ERR_INV_RANK, 0, 0, none, 1, 0, 8, 0, PATIENCE);
  BOTH(GASPI_ERR_INV_QUEUE, 0, 0, me, 1, 0, 8, 8, PATIENCE);
  BOTH(GASPI_ERR_INV_QUEUE, 0, 0, me, 1, 0, 8, 255, PATIENCE);
  BOTH(GASPI_ERR_INV_LOC_OFF, 0, SIZE - 7, me, 1, 0, 8, 0, PATIENCE);
  BOTH(GASPI_ERR_INV_LOC_OFF, 0, ~0ul, me, 1, 0, 8, 0, PATIENCE);
  BOTH(GASPI_ERR_INV_REM_OFF, 0, 0, me, 1, SIZE - 7, 8, 0, PATIENCE);
  BOTH(GASPI_ERR_INV_REM_OFF, 0, 0, me, 1, ~0ul, 8, 0, PATIENCE);
  BOTH(GASPI_ERR_INV_LOC_OFF, 0, 0, me, 1, 0, (1ul << 30) + 1, 0, PATIENCE); /* no wall but the segment's end */
#undef BOTH
#define NOTIFIED(code, segment, offset, rank, remote, there, size, id, value, queue)                        \
  EXPECT(code, gaspi_write_notify(segment, offset, rank, remote, there, size, id, value, queue, PATIENCE)); \
  EXPECT(code, gaspi_read_notify(segment, offset, rank, remote, there, size, id, queue, PATIENCE))
  NOTIFIED(GASPI_ERR_INV_SEG, 9, 0, me, 1, 0, 8, 0, 1, 0);
  NOTIFIED(GASPI_ERR_INV_SEG, 0, 0, me, 9, 0, 8, 0, 1, 0);
  NOTIFIED(GASPI_ERR_INV_RANK, 0, 0, none, 1, 0, 8, 0, 1, 0);
  NOTIFIED(GASPI_ERR_INV_QUEUE, 0, 0, me, 1, 0, 8, 0, 1, 8);
  NOTIFIED(GASPI_ERR_INV_LOC_OFF, 0, SIZE - 7, me, 1, 0, 8, 0, 1, 0);
  NOTIFIED(GASPI_ERR_INV_REM_OFF, 0, 0, me, 1, SIZE - 7, 8, 0, 1, 0);
  NOTIFIED(GASPI_ERR_INV_NOTIF_ID, 0, 0, me, 1, 0, 8, 65536, 1, 0);
#undef NOTIFIED
  EXPECT(GASPI_ERR_INV_NOTIF_VAL, gaspi_write_notify(0, 0, me, 1, 0, 8, 0, 0, 0, PATIENCE));
  for (int i = 0; i < 64; ++i) CHECK(target[i] == 0x5a); /* a wrong call changes nothing */
  gaspi_notification_id_t first = 0;
  EXPECT(GASPI_TIMEOUT, gaspi_notify_waitsome(1, 0, 65536, &first, GASPI_TEST));
  EXPECT(GASPI_TIMEOUT, gaspi_notify_waitsome(0, 0, 65536, &first, GASPI_TEST));
  CHECK(strstr(gaspi_error_detail(), "notification") != NULL); /* of the last error, which names what was wrong */
  barrier();
}

/* Nothing to transfer is no error; the notification comes all the same, and wrong places stay wrong. */
static void check_nothing(unsigned char* target) {
  const gaspi_rank_t next = (gaspi_rank_t)((my_rank() + 1) % num_ranks());
  memset(target, 0x5a, 64);
  barrier();
  SUCCEED(gaspi_write(0, 0, next, 1, 0, 0, 0, PATIENCE));
  SUCCEED(gaspi_read(1, 8, next, 0, 0, 0, 0, PATIENCE));
  SUCCEED(gaspi_write(0, SIZE, next, 1, SIZE, 0, 0, PATIENCE));
  SUCCEED(gaspi_write_notify(0, 0, next, 1, 0, 0, 5, 77, 0, PATIENCE));
  CHECK(take_flag(1, 5) == 77);
  SUCCEED(gaspi_read_notify(1, 0, next, 0, 0, 0, 6, 0, PATIENCE));
  CHECK(take_flag(1, 6) == 1);
  EXPECT(GASPI_ERR_INV_LOC_OFF, gaspi_write(0, SIZE + 1, next, 1, 0, 0, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_REM_OFF, gaspi_write(0, 0, next, 1, SIZE + 1, 0, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_SEG, gaspi_write(9, 0, next, 1, 0, 0, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_write(0, 0, num_ranks(), 1, 0, 0, 0, PATIENCE));
  SUCCEED(gaspi_wait(0, PATIENCE));
  for (int i = 0; i < 64; ++i) CHECK(target[i] == 0x5a);
  barrier();
}

int main(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  unsigned char* const source = create_segment(0, SIZE);
  unsigned char* const target = create_segment(1, SIZE);
  check_all_to_all(source, target);
  check_write_notify(source, target);
  barrier();
  check_read_notify(source, target);
  check_errors(target);
  check_nothing(target);
  SUCCEED(gaspi_write(0, 0, my_rank(), 1, 0, 8, 0, GASPI_TEST));
  SUCCEED(gaspi_wait(0, GASPI_TEST));
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
