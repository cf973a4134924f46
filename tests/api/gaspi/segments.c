/* GASPI 17.1, section 7. */
#include "check.h"

static void check_local(void) {
  gaspi_pointer_t pointer = NULL;
  gaspi_number_t number = 99;
  gaspi_segment_id_t ids[4] = {9, 9, 9, 9};
  gaspi_segment_id_t free_id = 9;
  gaspi_size_t size = 0;
  SUCCEED(gaspi_segment_num(&number));
  CHECK(number == 0);
  SUCCEED(gaspi_segment_alloc(7, 1000, GASPI_MEM_UNINITIALIZED));
  SUCCEED(gaspi_segment_alloc(0, 24, GASPI_MEM_INITIALIZED));
  SUCCEED(gaspi_segment_alloc(255, 1, GASPI_ALLOC_DEFAULT));
  SUCCEED(gaspi_segment_num(&number));
  CHECK(number == 3);
  SUCCEED(gaspi_segment_list(2, ids));
  CHECK(ids[0] == 0 && ids[1] == 7 && ids[2] == 9);
  EXPECT(GASPI_ERR_INV_NUM, gaspi_segment_list(4, ids));
  SUCCEED(gaspi_segment_avail_local(&free_id));
  CHECK(free_id == 1);
  SUCCEED(gaspi_segment_size(7, my_rank(), &size));
  CHECK(size == 1000);
  SUCCEED(gaspi_segment_ptr(0, &pointer));
  for (int i = 0; i < 24; ++i) CHECK(((char*)pointer)[i] == 0);
  memset(pointer, 1, 24);
  for (gaspi_rank_t rank = 0; rank < num_ranks(); ++rank) SUCCEED(gaspi_segment_register(7, rank, PATIENCE));

  EXPECT(GASPI_ERR_INV_SEG, gaspi_segment_alloc(7, 1000, GASPI_ALLOC_DEFAULT));
  EXPECT(GASPI_ERR_INV_SEGSIZE, gaspi_segment_alloc(8, 0, GASPI_ALLOC_DEFAULT));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_segment_alloc(8, 8, (gaspi_alloc_t)7));
  EXPECT(GASPI_ERR_MEMALLOC, gaspi_segment_alloc(8, 1ul << 60, GASPI_ALLOC_DEFAULT));
  EXPECT(GASPI_ERR_INV_SEG, gaspi_segment_register(8, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_segment_register(7, num_ranks(), PATIENCE));
  EXPECT(GASPI_ERR_INV_SEG, gaspi_segment_ptr(8, &pointer));
  EXPECT(GASPI_ERR_INV_SEG, gaspi_segment_size(8, my_rank(), &size));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_segment_size(7, num_ranks(), &size));
  EXPECT(GASPI_ERR_INV_SEG, gaspi_segment_delete(8));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_segment_ptr(7, NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_segment_num(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_segment_list(1, NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_segment_size(7, my_rank(), NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_segment_avail_local(NULL));

  SUCCEED(gaspi_segment_delete(7));
  SUCCEED(gaspi_segment_delete(0));
  SUCCEED(gaspi_segment_delete(255));
  EXPECT(GASPI_ERR_INV_SEG, gaspi_segment_delete(7));
  barrier();
}

/* Each rank brings a size of its own; everybody writes a byte into everybody's last one. */
static void check_collective(gaspi_segment_id_t id) {
  const gaspi_rank_t num = num_ranks();
  const gaspi_size_t mine = 64ul * (my_rank() + 1u) + num;
  unsigned char* const data = create_segment(id, mine);
  data[0] = (unsigned char)(my_rank() + 1);
  for (gaspi_rank_t rank = 0; rank < num; ++rank) {
    gaspi_size_t size = 0;
    SUCCEED(gaspi_segment_size(id, rank, &size));
    CHECK(size == 64ul * (rank + 1u) + num);
    SUCCEED(gaspi_write(id, 0, rank, id, size - num + my_rank(), 1, 0, PATIENCE));
  }
  SUCCEED(gaspi_wait(0, PATIENCE));
  barrier();
  for (gaspi_rank_t rank = 0; rank < num; ++rank) CHECK(data[mine - num + rank] == rank + 1);
  barrier();
  SUCCEED(gaspi_segment_delete(id));
}

static void check_own_memory(void) {
  static double memory[128];
  const gaspi_rank_t next = (gaspi_rank_t)((my_rank() + 1) % num_ranks());
  const gaspi_rank_t previous = (gaspi_rank_t)((my_rank() + num_ranks() - 1) % num_ranks());
  gaspi_pointer_t pointer = NULL;
  memset(memory, 0, sizeof memory);
  EXPECT(GASPI_ERR_NULLPTR, gaspi_segment_bind(4, NULL, 8, 0));
  EXPECT(GASPI_ERR_INV_SEGSIZE, gaspi_segment_bind(4, memory, 0, 0));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_segment_bind(4, memory, 8, 5));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_segment_use(4, NULL, 8, GASPI_GROUP_ALL, PATIENCE, 0));
  EXPECT(GASPI_ERR_INV_SEGSIZE, gaspi_segment_use(4, memory, 0, GASPI_GROUP_ALL, PATIENCE, 0));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_segment_use(4, memory, 8, GASPI_GROUP_ALL, PATIENCE, 5));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_segment_use(4, memory, 8, 99, PATIENCE, 0));

  SUCCEED(gaspi_segment_use(4, memory, sizeof memory, GASPI_GROUP_ALL, PATIENCE, 0));
  SUCCEED(gaspi_segment_ptr(4, &pointer));
  CHECK(pointer == memory);
  EXPECT(GASPI_ERR_INV_SEG, gaspi_segment_bind(4, memory, 8, 0));
  memory[0] = 100 + my_rank();
  SUCCEED(gaspi_write_notify(4, 0, next, 4, 64, sizeof(double), 5, 1, 0, PATIENCE));
  CHECK(take_flag(4, 5) == 1);
  CHECK(memory[8] == 100 + previous);
  SUCCEED(gaspi_wait(0, PATIENCE));
  barrier();
  SUCCEED(gaspi_segment_delete(4));
  memory[0] = 1; /* still the program's */

  SUCCEED(gaspi_segment_bind(4, memory + 1, 64, 0));
  SUCCEED(gaspi_segment_ptr(4, &pointer));
  CHECK(pointer == memory + 1);
  barrier();
  SUCCEED(gaspi_segment_delete(4));
}

static void check_late_creation(void) {
  gaspi_pointer_t pointer = NULL;
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_segment_create(5, 64, 99, PATIENCE, GASPI_ALLOC_DEFAULT));
  EXPECT(GASPI_ERR_INV_SEGSIZE, gaspi_segment_create(5, 0, GASPI_GROUP_ALL, PATIENCE, GASPI_ALLOC_DEFAULT));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_segment_create(5, 64, GASPI_GROUP_ALL, PATIENCE, (gaspi_alloc_t)9));
  barrier();
  if (my_rank() == 0 && num_ranks() > 1) {
    int one = 1;
    EXPECT(GASPI_TIMEOUT, gaspi_segment_create(5, 64, GASPI_GROUP_ALL, 20, GASPI_ALLOC_DEFAULT));
    EXPECT(GASPI_TIMEOUT, gaspi_segment_create(5, 64, GASPI_GROUP_ALL, GASPI_TEST, GASPI_ALLOC_DEFAULT));
    EXPECT(GASPI_ERR_INV_SEG, gaspi_segment_ptr(5, &pointer));
    EXPECT(GASPI_ERR_INV_SEG, gaspi_segment_alloc(5, 64, GASPI_ALLOC_DEFAULT));
    EXPECT(GASPI_ERR_ACTIVE_COLL, gaspi_segment_create(6, 64, GASPI_GROUP_ALL, 20, GASPI_ALLOC_DEFAULT));
    EXPECT(GASPI_ERR_ACTIVE_COLL,
           gaspi_allreduce(&one, &one, 1, GASPI_OP_SUM, GASPI_TYPE_INT, GASPI_GROUP_ALL, GASPI_TEST));
  }
  barrier(); /* may run beside it */
  SUCCEED(gaspi_segment_create(5, 64, GASPI_GROUP_ALL, PATIENCE, GASPI_ALLOC_DEFAULT));
  SUCCEED(gaspi_segment_ptr(5, &pointer));
  barrier();
  SUCCEED(gaspi_segment_delete(5));
}

/* On a group that stays. The others finish it, and the group's next collectives are those of all. */
static void check_given_up_creation(void) {
  int one = 1, sum = 0;
  gaspi_pointer_t pointer = NULL;
  barrier();
  if (my_rank() == 0 && num_ranks() > 1) {
    EXPECT(GASPI_TIMEOUT, gaspi_segment_create(5, 64, GASPI_GROUP_ALL, 20, GASPI_ALLOC_DEFAULT));
    SUCCEED(gaspi_segment_delete(5));
    EXPECT(GASPI_ERR_INV_SEG, gaspi_segment_ptr(5, &pointer));
    EXPECT(GASPI_TIMEOUT, gaspi_allreduce(&one, &sum, 1, GASPI_OP_SUM, GASPI_TYPE_INT, GASPI_GROUP_ALL, 20));
  } else {
    barrier();
    SUCCEED(gaspi_segment_create(5, 64, GASPI_GROUP_ALL, PATIENCE, GASPI_ALLOC_DEFAULT));
    SUCCEED(gaspi_segment_delete(5));
  }
  if (my_rank() == 0 && num_ranks() > 1) barrier();
  SUCCEED(gaspi_allreduce(&one, &sum, 1, GASPI_OP_SUM, GASPI_TYPE_INT, GASPI_GROUP_ALL, PATIENCE));
  CHECK(sum == (int)num_ranks());
  create_segment(5, 64);
  barrier();
  SUCCEED(gaspi_segment_delete(5));
}

/* Who has created a segment together with others need not wait for them any more: not even at the first access. */
static void check_first_access(void) {
  for (int round = 0; round < 5; ++round) {
    create_segment(7, 64);
    for (gaspi_rank_t rank = 0; rank < num_ranks(); ++rank) {
      SUCCEED(gaspi_write(7, 0, rank, 7, 8ul, 8, 0, GASPI_TEST));
    }
    SUCCEED(gaspi_wait(0, PATIENCE));
    barrier();
    SUCCEED(gaspi_segment_delete(7));
    barrier();
  }
}

/* The last rank cannot have so much memory: all learn of it, and nobody keeps a segment. */
static void check_failed_creation(void) {
  const int last = my_rank() == num_ranks() - 1;
  const gaspi_return_t expected = last ? GASPI_ERR_MEMALLOC : GASPI_ERROR;
  gaspi_number_t number = 9;
  EXPECT(expected, gaspi_segment_create(6, last ? 1ul << 60 : 64, GASPI_GROUP_ALL, PATIENCE, GASPI_ALLOC_DEFAULT));
  SUCCEED(gaspi_segment_num(&number));
  CHECK(number == 0);
  create_segment(6, 64);
  barrier();
  SUCCEED(gaspi_segment_delete(6));
}

int main(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  check_local();
  for (int round = 0; round < 5; ++round) check_collective((gaspi_segment_id_t)(round % 2 * 200));
  check_own_memory();
  check_late_creation();
  check_given_up_creation();
  check_failed_creation();
  check_first_access();
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
