/* Hello: every rank writes a greeting into the memory of rank 0, which takes no part in that, and prints them in order. */
#include "check.h"

enum { GREETINGS = 0, MINE = 1 }; /* segments: data leaves from one and arrives in one */

typedef char greeting_t[120];

static greeting_t* segment(gaspi_segment_id_t id, gaspi_size_t size) {
  gaspi_pointer_t memory = NULL;
  CHECK(gaspi_segment_create(id, size, GASPI_GROUP_ALL, PATIENCE, GASPI_MEM_INITIALIZED));
  CHECK(gaspi_segment_ptr(id, &memory));
  return memory;
}

/* Reading a flag sets it to 0, so that it can go up again. */
static void wait_for(gaspi_notification_id_t flag) {
  gaspi_notification_id_t first = 0;
  gaspi_notification_t value = 0;
  CHECK(gaspi_notify_waitsome(GREETINGS, flag, 1, &first, PATIENCE));
  CHECK(gaspi_notify_reset(GREETINGS, first, &value));
}

int main(void) {
  gaspi_rank_t me = 0;
  gaspi_rank_t size = 0;
  CHECK(gaspi_proc_init(PATIENCE));
  CHECK(gaspi_proc_rank(&me));
  CHECK(gaspi_proc_num(&size));

  greeting_t* const greetings = segment(GREETINGS, size * sizeof(greeting_t));
  greeting_t* const mine = segment(MINE, sizeof(greeting_t));
  snprintf(*mine, sizeof *mine, "hello from rank %u of %u", (unsigned)me, (unsigned)size);

  /* The notification arrives after the data, never before. */
  CHECK(gaspi_write_notify(MINE, 0, 0, GREETINGS, me * sizeof(greeting_t), sizeof(greeting_t), me, 1, 0, PATIENCE));
  if (me == 0) {
    for (gaspi_rank_t from = 0; from < size; ++from) {
      wait_for(from);
      puts(greetings[from]);
    }
  }

  CHECK(gaspi_wait(0, PATIENCE)); /* `mine` may be used again */
  CHECK(gaspi_barrier(GASPI_GROUP_ALL, PATIENCE));
  CHECK(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
