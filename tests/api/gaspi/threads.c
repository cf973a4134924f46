/* All calls may be made from many threads at once. Each thread runs its own ring of messages and its own counters, on
   shared and on own queues; two others create and delete segments, queues and groups meanwhile. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 300, BYTES = 512 };

static unsigned char* source;
static unsigned char* target;
static gaspi_rank_t me, next_rank, previous_rank;

static void* run_ring(void* argument) {
  const unsigned thread = (unsigned)(size_t)argument;
  const gaspi_offset_t offset = (gaspi_offset_t)thread * BYTES;
  const gaspi_queue_id_t queue = (gaspi_queue_id_t)(thread % 2 == 0 ? 0 : thread);
  for (unsigned round = 1; round <= ROUNDS; ++round) {
    gaspi_atomic_value_t old = 0;
    memset(source + offset, (int)((round + me + thread) % 251), BYTES);
    SUCCEED(gaspi_write_notify(0, offset, next_rank, 1, offset, BYTES, thread, round, queue, PATIENCE));
    CHECK(take_flag(1, thread) == round);
    const unsigned char expected = (unsigned char)((round + previous_rank + thread) % 251);
    for (int i = 0; i < BYTES; ++i) CHECK(target[offset + (gaspi_offset_t)i] == expected);
    SUCCEED(gaspi_wait(queue, PATIENCE));
    SUCCEED(gaspi_notify(1, previous_rank, 100 + thread, round, queue, PATIENCE));
    CHECK(take_flag(1, 100 + thread) == round);
    SUCCEED(gaspi_atomic_fetch_add(2, 0, 0, 1, &old, PATIENCE));
  }
  return NULL;
}

static void* run_segments(void* argument) {
  (void)argument;
  for (int round = 0; round < 50; ++round) {
    gaspi_pointer_t pointer = NULL;
    gaspi_queue_id_t queue = 0;
    gaspi_group_t group = 0;
    const gaspi_segment_id_t id = (gaspi_segment_id_t)(50 + round % 3);
    SUCCEED(gaspi_segment_alloc(id, 4096, GASPI_MEM_INITIALIZED));
    SUCCEED(gaspi_segment_ptr(id, &pointer));
    SUCCEED(gaspi_queue_create(&queue, PATIENCE));
    ((unsigned char*)pointer)[0] = (unsigned char)round;
    SUCCEED(gaspi_write(id, 0, me, id, 100, 1, queue, PATIENCE));
    SUCCEED(gaspi_wait(queue, PATIENCE));
    CHECK(((unsigned char*)pointer)[100] == (unsigned char)round);
    SUCCEED(gaspi_queue_delete(queue));
    SUCCEED(gaspi_segment_delete(id));
    SUCCEED(gaspi_group_create(&group));
    SUCCEED(gaspi_group_add(group, me));
    SUCCEED(gaspi_group_commit(group, PATIENCE));
    SUCCEED(gaspi_barrier(group, PATIENCE));
    SUCCEED(gaspi_group_delete(group));
  }
  return NULL;
}

/* Passive messages to this rank itself, between two of its threads. */
static void* run_sends(void* argument) {
  (void)argument;
  for (int i = 0; i < ROUNDS; ++i) SUCCEED(gaspi_passive_send(3, 0, me, 64, PATIENCE));
  return NULL;
}

static void* run_receives(void* argument) {
  (void)argument;
  for (int i = 0; i < ROUNDS; ++i) {
    gaspi_rank_t from = 0;
    SUCCEED(gaspi_passive_receive(3, 64, &from, 64, PATIENCE));
    CHECK(from == me);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS + 4];
  void* (*const others[])(void*) = {run_segments, run_sends, run_receives};
  SUCCEED(gaspi_proc_init(PATIENCE));
  me = my_rank();
  next_rank = (gaspi_rank_t)((me + 1) % num_ranks());
  previous_rank = (gaspi_rank_t)((me + num_ranks() - 1) % num_ranks());
  source = create_segment(0, THREADS * BYTES);
  target = create_segment(1, THREADS * BYTES);
  const gaspi_atomic_value_t* const counter = create_segment(2, 64);
  create_segment(3, 128);
  int num = 0;
  for (; num < THREADS; ++num) CHECK(pthread_create(&threads[num], NULL, run_ring, (void*)(size_t)num) == 0);
  for (int i = 0; i < 3; ++i, ++num) CHECK(pthread_create(&threads[num], NULL, others[i], NULL) == 0);
  for (int i = 0; i < 50; ++i) barrier();
  for (int i = 0; i < num; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  barrier();
  if (me == 0) CHECK(*counter == (gaspi_atomic_value_t)THREADS * ROUNDS * num_ranks());
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
