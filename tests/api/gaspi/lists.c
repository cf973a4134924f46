/* GASPI 17.1, sections 8.4.2, 8.4.3 and 8.4.5. */
#include "check.h"

enum { SIZE = 1 << 16, MOST = 255 };

/* A list that picks every other block of segment 0 and spreads the blocks over segments 1 and 2, their order turned
 * round. */
typedef struct {
  gaspi_number_t num;
  gaspi_segment_id_t local[MOST + 1], remote[MOST + 1];
  gaspi_offset_t local_offset[MOST + 1], remote_offset[MOST + 1];
  gaspi_size_t size[MOST + 1];
} list_t;

static list_t make_list(gaspi_number_t num, int segments) {
  list_t list;
  memset(&list, 0, sizeof list);
  list.num = num;
  for (gaspi_number_t i = 0; i < num; ++i) {
    list.local_offset[i] = 128ul * i;
    list.remote[i] = (gaspi_segment_id_t)(1 + i % (unsigned)segments);
    list.remote_offset[i] = 128ul * (num - 1 - i) + 16;
    list.size[i] = 1 + i % 64;
  }
  return list;
}

/* The same with local and remote side exchanged, for reads back. */
static list_t turned(const list_t* list) {
  list_t back = *list;
  memcpy(back.local, list->remote, sizeof back.local);
  memcpy(back.remote, list->local, sizeof back.remote);
  memcpy(back.local_offset, list->remote_offset, sizeof back.local_offset);
  memcpy(back.remote_offset, list->local_offset, sizeof back.remote_offset);
  return back;
}

static gaspi_rank_t next(void) {
  return (gaspi_rank_t)((my_rank() + 1) % num_ranks());
}
static gaspi_rank_t previous(void) {
  return (gaspi_rank_t)((my_rank() + num_ranks() - 1) % num_ranks());
}

static unsigned char pattern(gaspi_rank_t rank, gaspi_size_t i) {
  return (unsigned char)(1 + (rank * 37 + i) % 255);
}

typedef struct {
  unsigned char* data[3];
} memory_t;

static void reset(memory_t* memory) {
  barrier();
  for (gaspi_size_t i = 0; i < SIZE; ++i) memory->data[0][i] = pattern(my_rank(), i);
  memset(memory->data[1], 0, SIZE);
  memset(memory->data[2], 0, SIZE);
  barrier();
}

static void check_arrived(const memory_t* memory, const list_t* list, gaspi_rank_t from) {
  for (gaspi_number_t i = 0; i < list->num; ++i) {
    const unsigned char* const there = memory->data[list->remote[i]] + list->remote_offset[i];
    for (gaspi_size_t k = 0; k < list->size[i]; ++k) CHECK(there[k] == pattern(from, list->local_offset[i] + k));
    CHECK(there[-1] == 0 && there[list->size[i]] == 0); /* and nothing beside it */
  }
}

#define LIST(l) (l).num, (l).local, (l).local_offset
#define REMOTE(l) (l).remote, (l).remote_offset, (l).size

static void check_write_list(memory_t* memory, list_t list) {
  reset(memory);
  SUCCEED(gaspi_write_list(LIST(list), next(), REMOTE(list), 0, PATIENCE));
  SUCCEED(gaspi_wait(0, PATIENCE));
  barrier();
  check_arrived(memory, &list, previous());

  reset(memory);
  SUCCEED(gaspi_write_list_notify(LIST(list), next(), REMOTE(list), 2, 11, 12, 0, PATIENCE));
  CHECK(take_flag(2, 11) == 12);
  check_arrived(memory, &list, previous());
  SUCCEED(gaspi_wait(0, PATIENCE));
}

static void check_read_list(memory_t* memory, list_t list) {
  list_t back = turned(&list); /* from segment 0 of the neighbour into segments 1 and 2 here */
  reset(memory);
  SUCCEED(gaspi_read_list(LIST(back), next(), REMOTE(back), 1, PATIENCE));
  SUCCEED(gaspi_wait(1, PATIENCE));
  check_arrived(memory, &list, next());

  reset(memory);
  SUCCEED(gaspi_read_list_notify(LIST(back), next(), REMOTE(back), 0, 21, 1, PATIENCE));
  CHECK(take_flag(0, 21) == 1);
  check_arrived(memory, &list, next());
  SUCCEED(gaspi_wait(1, PATIENCE));

  /* Several remote segments in a read: back from 1 and 2 into 0. */
  barrier();
  memset(memory->data[0], 0, SIZE);
  barrier();
  SUCCEED(gaspi_read_list_notify(LIST(list), my_rank(), REMOTE(list), 0, 22, 1, PATIENCE));
  CHECK(take_flag(0, 22) == 1);
  for (gaspi_number_t i = 0; i < list.num; ++i) {
    CHECK(memory->data[0][list.local_offset[i]] == pattern(next(), list.local_offset[i]));
  }
}

/* Entries of no bytes are entries. */
static void check_empty_entries(memory_t* memory) {
  reset(memory);
  for (int segments = 1; segments <= 2; ++segments) {
    list_t list = make_list(20, segments);
    for (int i = 0; i < 20; i += 3) list.size[i] = 0;
    SUCCEED(gaspi_write_list(LIST(list), my_rank(), REMOTE(list), 0, PATIENCE));
    SUCCEED(gaspi_read_list(LIST(list), my_rank(), REMOTE(list), 0, PATIENCE));
    for (int i = 0; i < 20; ++i) list.size[i] = 0;
    SUCCEED(gaspi_write_list_notify(LIST(list), my_rank(), REMOTE(list), 1, 30, 5, 0, PATIENCE));
    CHECK(take_flag(1, 30) == 5);
    SUCCEED(gaspi_read_list_notify(LIST(list), my_rank(), REMOTE(list), 1, 31, 0, PATIENCE));
    CHECK(take_flag(1, 31) == 1);
  }
  SUCCEED(gaspi_wait(0, PATIENCE));
  barrier();
}

static void check_errors(memory_t* memory) {
  const gaspi_rank_t me = my_rank();
  reset(memory);
#define ALL(code, l, rank, queue)                                                            \
  EXPECT(code, gaspi_write_list(LIST(l), rank, REMOTE(l), queue, PATIENCE));                 \
  EXPECT(code, gaspi_read_list(LIST(l), rank, REMOTE(l), queue, PATIENCE));                  \
  EXPECT(code, gaspi_write_list_notify(LIST(l), rank, REMOTE(l), 1, 0, 1, queue, PATIENCE)); \
  EXPECT(code, gaspi_read_list_notify(LIST(l), rank, REMOTE(l), 1, 0, queue, PATIENCE))
  for (int segments = 1; segments <= 2; ++segments) {
    list_t bad = make_list(20, segments);
    ALL(GASPI_ERR_INV_RANK, bad, num_ranks(), 0);
    ALL(GASPI_ERR_INV_QUEUE, bad, me, 8);
    bad.local[19] = 9;
    ALL(GASPI_ERR_INV_SEG, bad, me, 0);
    bad = make_list(20, segments);
    bad.remote[19] = 9;
    ALL(GASPI_ERR_INV_SEG, bad, me, 0);
    bad = make_list(20, segments);
    bad.local_offset[19] = SIZE;
    ALL(GASPI_ERR_INV_LOC_OFF, bad, me, 0);
    bad = make_list(20, segments);
    bad.remote_offset[19] = SIZE;
    ALL(GASPI_ERR_INV_REM_OFF, bad, me, 0);
    bad = make_list(20, segments);
    bad.remote_offset[19] = ~0ul;
    ALL(GASPI_ERR_INV_REM_OFF, bad, me, 0);
    bad = make_list(20, segments);
    bad.num = 0;
    ALL(GASPI_ERR_INV_NUM, bad, me, 0);
    bad.num = MOST + 1;
    ALL(GASPI_ERR_INV_NUM, bad, me, 0);
  }
#undef ALL
  list_t good = make_list(2, 1);
  EXPECT(GASPI_ERR_NULLPTR, gaspi_write_list(2, NULL, good.local_offset, me, REMOTE(good), 0, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_write_list(2, good.local, NULL, me, REMOTE(good), 0, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_read_list(LIST(good), me, NULL, good.remote_offset, good.size, 0, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_read_list(LIST(good), me, good.remote, NULL, good.size, 0, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_read_list(LIST(good), me, good.remote, good.remote_offset, NULL, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_NOTIF_VAL, gaspi_write_list_notify(LIST(good), me, REMOTE(good), 1, 0, 0, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_NOTIF_ID, gaspi_write_list_notify(LIST(good), me, REMOTE(good), 1, 65536, 1, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_SEG, gaspi_write_list_notify(LIST(good), me, REMOTE(good), 9, 0, 1, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_NOTIF_ID, gaspi_read_list_notify(LIST(good), me, REMOTE(good), 1, 65536, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_SEG, gaspi_read_list_notify(LIST(good), me, REMOTE(good), 9, 0, 0, PATIENCE));
  for (int s = 1; s <= 2; ++s) {
    for (int i = 0; i < SIZE; ++i) CHECK(memory->data[s][i] == 0);
  }
  for (gaspi_size_t i = 0; i < SIZE; ++i) CHECK(memory->data[0][i] == pattern(me, i));
  gaspi_notification_id_t first = 0;
  EXPECT(GASPI_TIMEOUT, gaspi_notify_waitsome(1, 0, 65536, &first, GASPI_TEST));
}

int main(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  memory_t memory;
  for (gaspi_segment_id_t id = 0; id < 3; ++id) memory.data[id] = create_segment(id, SIZE);
  for (gaspi_number_t num = 1; num <= MOST; num = num * 2 + 1) {
    for (int segments = 1; segments <= 2; ++segments) {
      check_write_list(&memory, make_list(num, segments));
      check_read_list(&memory, make_list(num, segments));
    }
  }
  check_empty_entries(&memory);
  check_errors(&memory);
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
