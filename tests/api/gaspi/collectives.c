/* GASPI 17.1, section 11. */
#include "check.h"

#include <pthread.h>

#define CHECK_TYPE(type, name)                                                                                       \
  static void check_##name(gaspi_datatype_t datatype) {                                                              \
    const gaspi_rank_t num = num_ranks();                                                                            \
    for (gaspi_number_t count = 1; count <= 255; count = count * 2 + 1) {                                            \
      type send[255], least[255], most[255], sum[255];                                                               \
      for (gaspi_number_t i = 0; i < count; ++i) send[i] = (type)(my_rank() + i);                                    \
      SUCCEED(gaspi_allreduce(send, least, count, GASPI_OP_MIN, datatype, GASPI_GROUP_ALL, PATIENCE));               \
      SUCCEED(gaspi_allreduce(send, most, count, GASPI_OP_MAX, datatype, GASPI_GROUP_ALL, PATIENCE));                \
      SUCCEED(gaspi_allreduce(send, sum, count, GASPI_OP_SUM, datatype, GASPI_GROUP_ALL, PATIENCE));                 \
      for (gaspi_number_t i = 0; i < count; ++i) {                                                                   \
        CHECK(send[i] == (type)(my_rank() + i));                                                                     \
        CHECK(least[i] == (type)i && most[i] == (type)(num - 1u + i));                                               \
        CHECK(sum[i] == (type)(num * i + num * (num - 1u) / 2));                                                     \
      }                                                                                                              \
      SUCCEED(gaspi_allreduce(send, send, count, GASPI_OP_SUM, datatype, GASPI_GROUP_ALL, PATIENCE)); /* in place */ \
      CHECK(memcmp(send, sum, count * sizeof(type)) == 0);                                                           \
    }                                                                                                                \
  }
CHECK_TYPE(int, int)
CHECK_TYPE(unsigned int, uint)
CHECK_TYPE(float, float)
CHECK_TYPE(double, double)
CHECK_TYPE(long, long)
CHECK_TYPE(unsigned long, ulong)

static void check_types(void) {
  check_int(GASPI_TYPE_INT);
  check_uint(GASPI_TYPE_UINT);
  check_float(GASPI_TYPE_FLOAT);
  check_double(GASPI_TYPE_DOUBLE);
  check_long(GASPI_TYPE_LONG);
  check_ulong(GASPI_TYPE_ULONG);
  int negative = -5 - my_rank();
  int least = 0;
  SUCCEED(gaspi_allreduce(&negative, &least, 1, GASPI_OP_MIN, GASPI_TYPE_INT, GASPI_GROUP_ALL, PATIENCE));
  CHECK(least == -5 - (num_ranks() - 1));
  long large = 1l << 62;
  SUCCEED(gaspi_allreduce(&large, &large, 1, GASPI_OP_MAX, GASPI_TYPE_LONG, GASPI_GROUP_ALL, PATIENCE));
  CHECK(large == 1l << 62);
}

/* Element-wise: the larger by absolute value, with the rank that brought it. */
typedef struct {
  double value;
  int rank;
} located_t;

static gaspi_return_t locate(gaspi_pointer_t const one, gaspi_pointer_t const two, gaspi_pointer_t const result,
                             gaspi_reduce_state_t const state, const gaspi_number_t num, const gaspi_size_t size,
                             const gaspi_timeout_t timeout) {
  const located_t* const a = one;
  const located_t* const b = two;
  located_t* const out = result;
  int* const calls = state;
  CHECK(size == sizeof(located_t) && timeout > 0);
  for (gaspi_number_t i = 0; i < num; ++i) {
    const double x = a[i].value < 0 ? -a[i].value : a[i].value;
    const double y = b[i].value < 0 ? -b[i].value : b[i].value;
    const located_t chosen = x > y || (x == y && a[i].rank < b[i].rank) ? a[i] : b[i];
    out[i] = chosen;
  }
  ++*calls;
  /* Every third time it asks to be called again; it gives the same result then. */
  return *calls % 3 == 2 ? GASPI_TIMEOUT : GASPI_SUCCESS;
}

static gaspi_return_t fail(gaspi_pointer_t const one, gaspi_pointer_t const two, gaspi_pointer_t const result,
                           gaspi_reduce_state_t const state, const gaspi_number_t num, const gaspi_size_t size,
                           const gaspi_timeout_t timeout) {
  (void)one, (void)two, (void)result, (void)state, (void)num, (void)size, (void)timeout;
  return GASPI_ERROR;
}

static void check_user(void) {
  enum { COUNT = 127 }; /* 127 * 16 = 2032 bytes of 2040 */
  located_t send[COUNT], result[COUNT];
  int calls = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < COUNT; ++i) {
      memset(&send[i], 0, sizeof send[i]);
      send[i].value = (i % num_ranks() == my_rank() ? -100.0 : 1.0) - i;
      send[i].rank = my_rank();
    }
    SUCCEED(gaspi_allreduce_user(send, result, COUNT, sizeof(located_t), locate, &calls, GASPI_GROUP_ALL, PATIENCE));
    for (int i = 0; i < COUNT; ++i) CHECK(result[i].rank == i % num_ranks() && result[i].value == -100.0 - i);
  }
  EXPECT(GASPI_ERR_INV_SIZE,
         gaspi_allreduce_user(send, result, COUNT + 1, sizeof(located_t), locate, &calls, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_SIZE, gaspi_allreduce_user(send, result, 1, 0, locate, &calls, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_SIZE, gaspi_allreduce_user(send, result, 2, ~0ul, locate, &calls, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_allreduce_user(send, result, 0, 8, locate, &calls, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_allreduce_user(send, result, 1, 8, locate, &calls, 99, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_allreduce_user(NULL, result, 1, 8, locate, &calls, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_allreduce_user(send, NULL, 1, 8, locate, &calls, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_allreduce_user(send, result, 1, 8, NULL, &calls, GASPI_GROUP_ALL, PATIENCE));
}

/* gaspi_allreduce_elem_max is what one can count on, not where it ends. */
static void check_many_elements(void) {
  enum { COUNT = 20000 };
  static double send[COUNT], sum[COUNT];
  const gaspi_rank_t num = num_ranks();
  for (int i = 0; i < COUNT; ++i) send[i] = my_rank() + i;
  SUCCEED(gaspi_allreduce(send, sum, COUNT, GASPI_OP_SUM, GASPI_TYPE_DOUBLE, GASPI_GROUP_ALL, PATIENCE));
  for (int i = 0; i < COUNT; ++i) CHECK(sum[i] == (double)num * i + num * (num - 1) / 2.0);
}

static void check_errors(void) {
  int value = 1;
#define REDUCE(code, send, receive, num, operation, type, group) \
  EXPECT(code, gaspi_allreduce(send, receive, num, operation, type, group, PATIENCE))
  REDUCE(GASPI_ERR_NULLPTR, NULL, &value, 1, GASPI_OP_SUM, GASPI_TYPE_INT, GASPI_GROUP_ALL);
  REDUCE(GASPI_ERR_NULLPTR, &value, NULL, 1, GASPI_OP_SUM, GASPI_TYPE_INT, GASPI_GROUP_ALL);
  REDUCE(GASPI_ERR_INV_NUM, &value, &value, 0, GASPI_OP_SUM, GASPI_TYPE_INT, GASPI_GROUP_ALL);
  REDUCE(GASPI_ERR_INV_NUM, &value, &value, 1, (gaspi_operation_t)3, GASPI_TYPE_INT, GASPI_GROUP_ALL);
  REDUCE(GASPI_ERR_INV_NUM, &value, &value, 1, GASPI_OP_SUM, (gaspi_datatype_t)6, GASPI_GROUP_ALL);
  REDUCE(GASPI_ERR_INV_GROUP, &value, &value, 1, GASPI_OP_SUM, GASPI_TYPE_INT, 99);
#undef REDUCE
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_barrier(99, PATIENCE));
}

/* Rank 0 comes first and runs out of time; what it began is gone on with, beside a barrier that is begun too. */
static void check_timeout(void) {
  const int others = num_ranks() > 1;
  double send = my_rank() + 0.5;
  double sum = 0;
  double other = 0;
  barrier();
  if (my_rank() == 0 && others) {
    EXPECT(GASPI_TIMEOUT, gaspi_allreduce(&send, &sum, 1, GASPI_OP_SUM, GASPI_TYPE_DOUBLE, GASPI_GROUP_ALL, 20));
    EXPECT(GASPI_TIMEOUT,
           gaspi_allreduce(&send, &sum, 1, GASPI_OP_SUM, GASPI_TYPE_DOUBLE, GASPI_GROUP_ALL, GASPI_TEST));
    EXPECT(GASPI_TIMEOUT, gaspi_barrier(GASPI_GROUP_ALL, 20));
    EXPECT(GASPI_TIMEOUT, gaspi_barrier(GASPI_GROUP_ALL, GASPI_TEST));
    /* A different allreduce has to wait until this one has ended. */
    EXPECT(GASPI_ERR_ACTIVE_COLL,
           gaspi_allreduce(&send, &sum, 1, GASPI_OP_MIN, GASPI_TYPE_DOUBLE, GASPI_GROUP_ALL, GASPI_TEST));
    EXPECT(GASPI_ERR_ACTIVE_COLL, gaspi_segment_create(0, 8, GASPI_GROUP_ALL, GASPI_TEST, GASPI_ALLOC_DEFAULT));
    send = -1000; /* was read at the first call */
    for (gaspi_rank_t rank = 1; rank < num_ranks(); ++rank) SUCCEED(gaspi_notify(9, rank, 0, 1, 0, PATIENCE));
  } else if (others) {
    CHECK(take_flag(9, 0) == 1);
  }
  SUCCEED(gaspi_allreduce(&send, &other, 1, GASPI_OP_SUM, GASPI_TYPE_DOUBLE, GASPI_GROUP_ALL, PATIENCE));
  CHECK(other == num_ranks() * num_ranks() / 2.0);
  barrier();
}

/* The barrier is one: nobody leaves it before all have entered. */
static void check_barrier(void) {
  for (int round = 0; round < 20; ++round) {
    gaspi_atomic_value_t entered = 0;
    if (my_rank() == round % num_ranks()) sleep_ms(2);
    SUCCEED(gaspi_atomic_fetch_add(9, 0, 0, 1, &entered, PATIENCE));
    barrier();
    SUCCEED(gaspi_atomic_fetch_add(9, 0, 0, 0, &entered, PATIENCE));
    CHECK(entered == (round + 1ul) * num_ranks());
    gaspi_return_t code;
    while ((code = gaspi_barrier(GASPI_GROUP_ALL, GASPI_TEST)) == GASPI_TIMEOUT) sleep_ms(0);
    EXPECT(GASPI_SUCCESS, code);
  }
}

static void* enter_barrier(void* code) {
  *(gaspi_return_t*)code = gaspi_barrier(GASPI_GROUP_ALL, PATIENCE);
  return NULL;
}

static void* reduce(void* sum) {
  const gaspi_long one = 1;
  SUCCEED(gaspi_allreduce((gaspi_pointer_t)&one, sum, 1, GASPI_OP_SUM, GASPI_TYPE_LONG, GASPI_GROUP_ALL, PATIENCE));
  return NULL;
}

/* Two threads of a rank in barriers of one group: the second has its turn after the first, within its own time. The
 * other ranks keep the first barrier open until two calls of rank 0 have had no success. */
static void check_barriers_of_threads(void) {
  gaspi_return_t other = GASPI_ERROR;
  pthread_t thread;
  if (num_ranks() > 1 && my_rank() == 0) {
    CHECK(pthread_create(&thread, NULL, enter_barrier, &other) == 0);
    sleep_ms(20);
    EXPECT(GASPI_TIMEOUT, gaspi_barrier(GASPI_GROUP_ALL, GASPI_TEST));
    EXPECT(GASPI_TIMEOUT, gaspi_barrier(GASPI_GROUP_ALL, 20));
    for (gaspi_rank_t rank = 1; rank < num_ranks(); ++rank) SUCCEED(gaspi_notify(9, rank, 1, 1, 0, PATIENCE));
  } else {
    if (num_ranks() > 1) CHECK(take_flag(9, 1) == 1);
    CHECK(pthread_create(&thread, NULL, enter_barrier, &other) == 0);
  }
  barrier();
  CHECK(pthread_join(thread, NULL) == 0);
  EXPECT(GASPI_SUCCESS, other);
}

static void check_allreduces_of_threads(void) {
  enum { THREADS = 4 };
  gaspi_long sums[THREADS] = {0};
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[i], NULL, reduce, &sums[i]) == 0);
  for (int i = 0; i < THREADS; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < THREADS; ++i) CHECK(sums[i] == num_ranks());
  barrier();
}

/* An operation of the program that fails ends the allreduce with an error, where it was called. */
static void check_failing_operation(void) {
  int value = 1;
  gaspi_group_t group = 0;
  SUCCEED(gaspi_group_create(&group));
  for (gaspi_rank_t rank = 0; rank < num_ranks(); ++rank) SUCCEED(gaspi_group_add(group, rank));
  SUCCEED(gaspi_group_commit(group, PATIENCE));
  if (num_ranks() == 2) {
    const gaspi_return_t code = gaspi_allreduce_user(&value, &value, 1, sizeof value, fail, NULL, group, 500);
    CHECK(code == GASPI_ERROR || code == GASPI_TIMEOUT);
    CHECK(value == 1);
  }
  barrier();
  SUCCEED(gaspi_group_delete(group));
}

int main(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  create_segment(9, 64);
  check_types();
  check_many_elements();
  check_user();
  check_errors();
  check_timeout();
  check_barrier();
  check_barriers_of_threads();
  check_allreduces_of_threads();
  check_failing_operation();
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
