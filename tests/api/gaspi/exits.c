/* A rank may end without gaspi_proc_term, as it does under a tool that keeps the call to itself; and with threads that
 * still wait, or post; or from a signal handler in the middle of a call. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void* wait_for_ever(void* argument) {
  gaspi_notification_id_t first = 0;
  gaspi_rank_t from = 0;
  if (argument != NULL) {
    gaspi_notify_waitsome(0, 0, 1, &first, GASPI_BLOCK);
  } else {
    gaspi_passive_receive(0, 0, &from, 8, GASPI_BLOCK);
  }
  return NULL;
}

/* Until the process ends under it, maybe before it has begun. Whatever the calls return, they must not crash. */
static void* post_for_ever(void* next) {
  const gaspi_rank_t to = *(gaspi_rank_t*)next;
  while (1) {
    gaspi_write_notify(0, 0, to, 0, 8, 8, 1, 1, 0, GASPI_BLOCK);
    gaspi_notify(0, to, 2, 1, 0, GASPI_BLOCK);
    gaspi_wait(0, GASPI_BLOCK);
  }
  return NULL;
}

/* Ends the process in the middle of a call of this very thread. */
static void leave(int number) {
  (void)number;
  exit(EXIT_SUCCESS);
}

int main(int argc, char** argv) {
  pthread_t thread;
  SUCCEED(gaspi_proc_init(PATIENCE));
  create_segment(0, 64);
  barrier();
  if (argc > 1 && strcmp(argv[1], "threads") == 0) {
    int one = 1;
    CHECK(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, wait_for_ever, &one) == 0);
    sleep_ms(50);
  }
  if (argc > 1 && strcmp(argv[1], "posting") == 0) {
    static gaspi_rank_t next;
    next = (gaspi_rank_t)((my_rank() + 1) % num_ranks());
    for (int i = 0; i < 3; ++i) CHECK(pthread_create(&thread, NULL, post_for_ever, &next) == 0);
    sleep_ms(20 + 5 * my_rank());
    exit(EXIT_SUCCESS);
  }
  if (argc > 1 && strcmp(argv[1], "asleep") == 0) wait_for_ever(&thread); /* until somebody ends it */
  if (argc > 1 && strcmp(argv[1], "fork") == 0) {
    /* A child that ends must not leave the job in its parent's name. */
    const pid_t child = fork();
    if (child == 0) exit(EXIT_SUCCESS);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    for (int i = 0; i < 20; ++i) barrier();
  }
  if (argc > 1 && strcmp(argv[1], "handler") == 0) {
    gaspi_notification_id_t first = 0;
    CHECK(signal(SIGALRM, &leave) != SIG_ERR);
    alarm(1);
    gaspi_notify_waitsome(0, 0, 1, &first, GASPI_BLOCK);
    return EXIT_FAILURE; /* nobody notifies */
  }
  return EXIT_SUCCESS;
}
