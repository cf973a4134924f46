/* Rank 0 receives passively what nobody sends, rank 1 sends passively to rank 2, which takes nothing; with `beside`, a
 * thread of rank 0 receives, and its main thread waits in a barrier. Until they are killed. */
#include <GASPI.h>

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void* receive(void* nothing) {
  gaspi_rank_t from = 0;
  gaspi_passive_receive(0, 0, &from, 8, GASPI_BLOCK);
  return nothing;
}

int main(int argc, char** argv) {
  const int beside = argc > 1 && strcmp(argv[1], "beside") == 0;
  gaspi_rank_t me = 0;
  if (gaspi_proc_init(GASPI_BLOCK) != GASPI_SUCCESS || gaspi_proc_rank(&me) != GASPI_SUCCESS) return 99;
  if (gaspi_segment_create(0, 64, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED) != GASPI_SUCCESS) return 98;
  pthread_t thread;
  if (me == 0 && beside) {
    if (pthread_create(&thread, NULL, receive, NULL) != 0) return 97;
    sleep(1); /* so that the other one has waited longer */
    return gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK) == GASPI_SUCCESS ? 0 : 96;
  }
  if (me == 0) receive(NULL);
  if (me == 1) gaspi_passive_send(0, 0, 2, 8, GASPI_BLOCK);
  for (;;) sleep(1000);
}
