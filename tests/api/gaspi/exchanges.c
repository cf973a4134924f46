/* Collectives beyond the standard: GASPI_Ext.h. */
#include "check.h"

enum { LARGEST = 100000 };

static int value(gaspi_rank_t from, gaspi_rank_t to, gaspi_size_t at) {
  return (int)(from * 1000003u + to * 1009u + at);
}

static void check_bcast(gaspi_group_t group) {
  static int data[LARGEST];
  for (gaspi_rank_t root = 0; root < num_ranks(); ++root)
    for (gaspi_size_t count = 0; count <= LARGEST; count = count * 17 + 1) {
      for (gaspi_size_t i = 0; i < count; ++i) data[i] = my_rank() == root ? value(root, 0, i) : -1;
      SUCCEED(gaspi_bcast(data, count * sizeof(int), root, group, PATIENCE));
      for (gaspi_size_t i = 0; i < count; ++i) CHECK(data[i] == value(root, 0, i));
    }
  SUCCEED(gaspi_bcast(NULL, 0, 0, group, PATIENCE));
}

static void check_reduce(gaspi_group_t group) {
  static double mine[LARGEST], sum[LARGEST];
  const gaspi_rank_t num = num_ranks();
  for (gaspi_rank_t root = 0; root < num; ++root)
    for (gaspi_number_t count = 1; count <= LARGEST; count = count * 40 + 3) {
      for (gaspi_number_t i = 0; i < count; ++i) {
        mine[i] = my_rank() + i;
        sum[i] = -1;
      }
      SUCCEED(gaspi_reduce(mine, my_rank() == root ? sum : NULL, count, GASPI_OP_SUM, GASPI_TYPE_DOUBLE, root, group,
                           PATIENCE));
      for (gaspi_number_t i = 0; i < count; ++i) {
        CHECK(mine[i] == my_rank() + i);
        CHECK(sum[i] == (my_rank() == root ? (double)num * i + num * (num - 1) / 2.0 : -1));
      }
    }
  int least = (int)my_rank() - 7;
  SUCCEED(gaspi_reduce(&least, &least, 1, GASPI_OP_MIN, GASPI_TYPE_INT, num - 1, group, PATIENCE)); /* in place */
  if (my_rank() == num - 1) CHECK(least == -7);
}

static void check_allgather(gaspi_group_t group) {
  const gaspi_rank_t num = num_ranks();
  for (gaspi_size_t count = 0; count < 5000; count = count * 9 + 1) {
    int* const mine = malloc(count * sizeof(int) + 1);
    int* const all = malloc(num * count * sizeof(int) + 1);
    for (gaspi_size_t i = 0; i < count; ++i) mine[i] = value(my_rank(), 0, i);
    SUCCEED(gaspi_allgather(mine, all, count * sizeof(int), group, PATIENCE));
    for (gaspi_rank_t from = 0; from < num; ++from)
      for (gaspi_size_t i = 0; i < count; ++i) CHECK(all[from * count + i] == value(from, 0, i));
    free(mine);
    free(all);
  }
}

/* Rank r brings r * 3 bytes, rank 0 nothing. */
static void check_allgatherv(gaspi_group_t group) {
  const gaspi_rank_t num = num_ranks();
  gaspi_size_t sizes[64];
  gaspi_size_t sum = 0;
  for (gaspi_rank_t from = 0; from < num; ++from) sum += sizes[from] = 3u * from;
  unsigned char* const mine = malloc(3u * my_rank() + 1);
  unsigned char* const all = malloc(sum + 1);
  memset(mine, my_rank() + 1, 3u * my_rank());
  SUCCEED(gaspi_allgatherv(mine, all, sizes, group, PATIENCE));
  const unsigned char* at = all;
  for (gaspi_rank_t from = 0; from < num; ++from)
    for (gaspi_size_t i = 0; i < sizes[from]; ++i) CHECK(*at++ == from + 1);
  free(mine);
  free(all);
}

/* A buffer may be null where nothing is wanted of it. */
static void check_null_buffers(gaspi_group_t group) {
  const gaspi_rank_t num = num_ranks();
  gaspi_size_t ones[64], none[64], offsets[64];
  char bytes[64];
  for (gaspi_rank_t rank = 0; rank < num; ++rank) {
    ones[rank] = 1;
    none[rank] = 0;
    offsets[rank] = rank;
  }
  EXPECT(GASPI_ERR_NULLPTR, gaspi_allgatherv(NULL, bytes, ones, group, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_allgatherv(bytes, NULL, ones, group, PATIENCE));
  SUCCEED(gaspi_allgatherv(NULL, NULL, none, group, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_alltoallv(NULL, ones, offsets, bytes, ones, offsets, group, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_alltoallv(bytes, ones, offsets, NULL, ones, offsets, group, PATIENCE));
  SUCCEED(gaspi_alltoallv(NULL, none, offsets, NULL, none, offsets, group, PATIENCE));
}

static void check_alltoall(gaspi_group_t group) {
  const gaspi_rank_t num = num_ranks();
  for (gaspi_size_t count = 0; count < 5000; count = count * 9 + 1) {
    int* const out = malloc(num * count * sizeof(int) + 1);
    int* const in = malloc(num * count * sizeof(int) + 1);
    for (gaspi_rank_t to = 0; to < num; ++to)
      for (gaspi_size_t i = 0; i < count; ++i) out[to * count + i] = value(my_rank(), to, i);
    SUCCEED(gaspi_alltoall(out, in, count * sizeof(int), group, PATIENCE));
    for (gaspi_rank_t from = 0; from < num; ++from)
      for (gaspi_size_t i = 0; i < count; ++i) CHECK(in[from * count + i] == value(from, my_rank(), i));
    free(out);
    free(in);
  }
}

/* From r to k go (r + 2 k) bytes, at places in the wrong order. */
static void check_alltoallv(gaspi_group_t group) {
  const gaspi_rank_t num = num_ranks(), me = my_rank();
  gaspi_size_t sent[64], from[64], received[64], into[64], out_size = 0, in_size = 0;
  for (gaspi_rank_t peer = num; peer-- > 0;) {
    sent[peer] = me + 2u * peer;
    from[peer] = out_size;
    out_size += sent[peer];
    received[peer] = peer + 2u * me;
    into[peer] = in_size;
    in_size += received[peer];
  }
  unsigned char* const out = malloc(out_size + 1);
  unsigned char* const in = calloc(in_size + 1, 1);
  for (gaspi_rank_t peer = 0; peer < num; ++peer) memset(out + from[peer], me * 16 + peer, sent[peer]);
  SUCCEED(gaspi_alltoallv(out, sent, from, in, received, into, group, PATIENCE));
  for (gaspi_rank_t peer = 0; peer < num; ++peer)
    for (gaspi_size_t i = 0; i < received[peer]; ++i) CHECK(in[into[peer] + i] == (unsigned char)(peer * 16 + me));
  free(out);
  free(in);
}

static void check_wrong_calls(void) {
  int word = 0;
  gaspi_size_t size = 4;
  const gaspi_rank_t nobody = num_ranks();
  EXPECT(GASPI_ERR_NULLPTR, gaspi_bcast(NULL, 4, 0, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_bcast(&word, 4, nobody, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_bcast(&word, 4, 0, 77, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_reduce(NULL, &word, 1, GASPI_OP_SUM, GASPI_TYPE_INT, 0, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_reduce(&word, &word, 0, GASPI_OP_SUM, GASPI_TYPE_INT, 0, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_NUM,
         gaspi_reduce(&word, &word, 1, (gaspi_operation_t)9, GASPI_TYPE_INT, 0, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_RANK,
         gaspi_reduce(&word, &word, 1, GASPI_OP_SUM, GASPI_TYPE_INT, nobody, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_allgather(NULL, &word, 4, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_allgatherv(&word, &word, NULL, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_alltoall(&word, NULL, 4, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_alltoallv(&word, NULL, &size, &word, &size, &size, GASPI_GROUP_ALL, PATIENCE));
}

/* The last rank comes late. */
static void check_timeout(void) {
  int word = my_rank() == 0 ? 42 : 0;
  barrier();
  if (my_rank() == num_ranks() - 1) {
    sleep_ms(50);
    SUCCEED(gaspi_bcast(&word, sizeof word, 0, GASPI_GROUP_ALL, PATIENCE));
  } else {
    gaspi_return_t code = GASPI_TIMEOUT;
    while (code == GASPI_TIMEOUT) code = gaspi_bcast(&word, sizeof word, 0, GASPI_GROUP_ALL, GASPI_TEST);
    CHECK(code == GASPI_SUCCESS);
  }
  CHECK(word == 42);
}

/* All but the first rank: places in the group are not ranks. */
static void check_part_of_the_job(void) {
  if (num_ranks() < 3 || my_rank() == 0) return;
  gaspi_group_t group;
  SUCCEED(gaspi_group_create(&group));
  for (gaspi_rank_t rank = 1; rank < num_ranks(); ++rank) SUCCEED(gaspi_group_add(group, rank));
  SUCCEED(gaspi_group_commit(group, PATIENCE));
  int word = my_rank();
  SUCCEED(gaspi_bcast(&word, sizeof word, 2, group, PATIENCE));
  CHECK(word == 2);
  EXPECT(GASPI_ERR_INV_RANK, gaspi_bcast(&word, sizeof word, 0, group, PATIENCE));
  int* const all = malloc(num_ranks() * sizeof(int));
  word = my_rank();
  SUCCEED(gaspi_allgather(&word, all, sizeof word, group, PATIENCE));
  for (gaspi_rank_t rank = 1; rank < num_ranks(); ++rank) CHECK(all[rank - 1] == (int)rank);
  free(all);
  SUCCEED(gaspi_group_delete(group));
}

int main(void) {
  int word = 0;
  EXPECT(GASPI_ERR_NOINIT, gaspi_bcast(&word, 4, 0, GASPI_GROUP_ALL, PATIENCE));
  SUCCEED(gaspi_proc_init(PATIENCE));
  check_bcast(GASPI_GROUP_ALL);
  check_reduce(GASPI_GROUP_ALL);
  check_allgather(GASPI_GROUP_ALL);
  check_allgatherv(GASPI_GROUP_ALL);
  check_alltoall(GASPI_GROUP_ALL);
  check_alltoallv(GASPI_GROUP_ALL);
  check_null_buffers(GASPI_GROUP_ALL);
  check_wrong_calls();
  check_timeout();
  check_part_of_the_job();
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
