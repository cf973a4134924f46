/* Ways to begin and end, one a run: beginnings WAY. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static void use(void) {
  void* parts[MOST_RANKS];
  allocate(parts, 64);
  SUCCEED(ARMCI_PutValueInt(me(), parts[next()], next()));
  ARMCI_Barrier();
  CHECK(*(int*)parts[me()] == previous());
  release(parts);
}

/* As Global Arrays does: begun twice, ended twice, and memory left behind. */
static void twice(int argc, char** argv) {
  void* left[MOST_RANKS];
  MPI_Init(&argc, &argv);
  if (ARMCI_Initialized()) MPI_Abort(MPI_COMM_WORLD, 1);
  SUCCEED(ARMCI_Init_args(&argc, &argv));
  SUCCEED(ARMCI_Init());
  CHECK(ARMCI_Initialized() == 1);
  use();
  SUCCEED(ARMCI_Malloc(left, 1000));
  SUCCEED(ARMCI_Create_mutexes(1));
  SUCCEED(ARMCI_Finalize());
  use();
  SUCCEED(ARMCI_Finalize());
  if (ARMCI_Initialized()) MPI_Abort(MPI_COMM_WORLD, 1);
  if (ARMCI_Finalize() != 0) MPI_Abort(MPI_COMM_WORLD, 1); /* once too often: nothing happens */
  MPI_Finalize();
}

/* ARMCI begins MPI, and ends it. */
static void alone(int threads) {
  int initialised, finalised;
  SUCCEED(threads ? ARMCI_Init_thread(MPI_THREAD_FUNNELED) : ARMCI_Init());
  MPI_Initialized(&initialised);
  CHECK(initialised);
  use();
  SUCCEED(ARMCI_Finalize());
  MPI_Finalized(&finalised);
  if (!finalised) exit(EXIT_FAILURE);
}

/* Once more after the end. */
static void again(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i) {
    SUCCEED(ARMCI_Init());
    use();
    SUCCEED(ARMCI_Finalize());
  }
  MPI_Finalize();
}

static void with_communicator(int argc, char** argv) {
  MPI_Comm copy;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  SUCCEED(ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, copy));
  MPI_Comm_free(&copy);
  use();
  SUCCEED(ARMCI_Finalize());
  MPI_Finalize();
}

/* MPI ends, and ARMCI was forgotten. */
static void forgotten(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  SUCCEED(ARMCI_Init());
  use();
  MPI_Finalize();
}

static void cleanup(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  SUCCEED(ARMCI_Init());
  use();
  armci_msg_barrier();
  ARMCI_Cleanup();
  if (ARMCI_Initialized()) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
}

/* A stopped process does not answer. */
static int is_stopped(int process) {
  char name[40], state = 0;
  snprintf(name, sizeof name, "/proc/%d/stat", process);
  FILE* file = fopen(name, "r");
  CHECK(file != NULL && fscanf(file, "%*d %*s %c", &state) == 1);
  fclose(file);
  return state == 'T';
}

/* With memory whose end a peer would have to confirm: waits for each part of it would together outlast the alarm. */
static void cleanup_alone(int argc, char** argv) {
  enum { ALLOCATIONS = 20 };
  void* parts[ALLOCATIONS][MOST_RANKS];
  int process = (int)getpid(), rank;
  MPI_Init(&argc, &argv);
  SUCCEED(ARMCI_Init());
  rank = me();
  for (int i = 0; i < ALLOCATIONS; ++i) {
    SUCCEED(ARMCI_Malloc(parts[i], 64));
    SUCCEED(ARMCI_PutValueInt(1, parts[i][next()], next()));
  }
  ARMCI_Barrier();
  if (rank == 1) {
    MPI_Send(&process, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    raise(SIGSTOP);
  } else if (rank == 0) {
    MPI_Recv(&process, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!is_stopped(process)) {
    }
  }
  ARMCI_Cleanup();
  if (rank == 0) kill(process, SIGCONT);
  MPI_Finalize();
}

/* Ranks that are willing to keep more freed memory than others. */
static void own_limits(int argc, char** argv) {
  int rank;
  void* parts[MOST_RANKS];
  char limit[20];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(limit, sizeof limit, "%d", 8 + 100 * rank);
  setenv("POLDER_ARMCI_SPARE_KB", limit, 1);
  SUCCEED(ARMCI_Init());
  for (int i = 0; i < 40; ++i) {
    allocate(parts, 1000 * (1 + i % 10));
    release(parts);
  }
  SUCCEED(ARMCI_Finalize());
  MPI_Finalize();
}

/* ---- ends that end the job ---- */

static void begin(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  SUCCEED(ARMCI_Init());
}

static void wrong_call(int argc, char** argv) {
  void* parts[MOST_RANKS];
  double value = 1;
  begin(argc, argv);
  allocate(parts, 64);
  if (me() == 0) ARMCI_Put(&value, (char*)parts[next()] + 64, 8, next());
  ARMCI_Barrier();
}

/* Each ends the job with a sentence. */
static void locks_twice(int argc, char** argv) {
  begin(argc, argv);
  SUCCEED(ARMCI_Create_mutexes(1));
  if (me() == 0) ARMCI_Lock(0, 0);
  if (me() == 0) ARMCI_Lock(0, 0);
  ARMCI_Barrier();
}

static void waits_on_garbage(int argc, char** argv) {
  armci_hdl_t handle = {0x7f345678, 0};
  begin(argc, argv);
  ARMCI_Wait(&handle);
  ARMCI_Barrier();
}

static void other_length(int argc, char** argv) {
  double x[4] = {0};
  begin(argc, argv);
  armci_msg_dgop(x, 3 + me() % 2, "+");
}

/* Also of a rank that is the only one of its node. */
static void no_operation(int argc, char** argv) {
  int x = 1;
  begin(argc, argv);
  armci_msg_clus_igop(&x, 1, "nothing");
  ARMCI_Barrier();
}

/* The call comes back, and says why. */
static void too_much(int argc, char** argv) {
  void* parts[MOST_RANKS];
  begin(argc, argv);
  CHECK(ARMCI_Malloc(parts, 1L << 60) != 0);
  ARMCI_Finalize();
  MPI_Finalize();
  exit(7);
}

static void error(int argc, char** argv) {
  begin(argc, argv);
  if (me() == ranks() - 1) ARMCI_Error("no answer to this", 42);
  ARMCI_Barrier();
}

static void aborts(int argc, char** argv) {
  begin(argc, argv);
  if (me() == 0) armci_msg_abort(43);
  ARMCI_Barrier();
}

/* Dies with a mutex that the others want. */
static void holder_dies(int argc, char** argv) {
  const struct timespec moment = {0, 200000000};
  begin(argc, argv);
  SUCCEED(ARMCI_Create_mutexes(1));
  if (me() == 0) {
    ARMCI_Lock(0, ranks() - 1);
    armci_msg_barrier();
    nanosleep(&moment, NULL);
    _exit(3);
  }
  armci_msg_barrier();
  ARMCI_Lock(0, ranks() - 1);
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  alarm(60);
  if (strcmp(way, "twice") == 0) return twice(argc, argv), 0;
  if (strcmp(way, "alone") == 0) return alone(0), 0;
  if (strcmp(way, "alone_with_threads") == 0) return alone(1), 0;
  if (strcmp(way, "again") == 0) return again(argc, argv), 0;
  if (strcmp(way, "with_communicator") == 0) return with_communicator(argc, argv), 0;
  if (strcmp(way, "forgotten") == 0) return forgotten(argc, argv), 0;
  if (strcmp(way, "own_limits") == 0) return own_limits(argc, argv), 0;
  if (strcmp(way, "cleanup") == 0) return cleanup(argc, argv), 0;
  if (strcmp(way, "cleanup_alone") == 0) return cleanup_alone(argc, argv), 0;
  if (strcmp(way, "wrong_call") == 0) return wrong_call(argc, argv), 0;
  if (strcmp(way, "error") == 0) return error(argc, argv), 0;
  if (strcmp(way, "locks_twice") == 0) return locks_twice(argc, argv), 0;
  if (strcmp(way, "waits_on_garbage") == 0) return waits_on_garbage(argc, argv), 0;
  if (strcmp(way, "other_length") == 0) return other_length(argc, argv), 0;
  if (strcmp(way, "no_operation") == 0) return no_operation(argc, argv), 0;
  if (strcmp(way, "too_much") == 0) return too_much(argc, argv), 0;
  if (strcmp(way, "aborts") == 0) return aborts(argc, argv), 0;
  if (strcmp(way, "holder_dies") == 0) return holder_dies(argc, argv), 0;
  if (strcmp(way, "outside") == 0) return ARMCI_PutValueInt(1, &argc, 0), 0; /* before any beginning */
  fprintf(stderr, "there is no way '%s'\n", way);
  return 2;
}
