/* The pattern that programs of GPI_CP follow: every step commits the last checkpoint, copies the work and starts the next, and the
 * highest ranks are spares. A rank kills itself where the argument says; survivors and a spare make a new group, restore, and go on to
 * the end, where all have the result of an undisturbed run.
 *
 *   recovers SPARES DEATH...    DEATH: WHERE@STEP, one for each victim, the first is rank 0 of the job, the next rank 1, ...
 *                               WHERE: started, committing, computing, or restoring (that one is the next to join) */
#include "check.h"

#include <gpi_cp.h>

#include <signal.h>
#include <stdbool.h>

enum { QUEUE = 4, STEPS = 12, WORDS = 5000, SEGMENT = 5 };

typedef struct {
  int step;
  int place; /* whose work this is */
  double values[WORDS];
} Work;

static int deaths;
static char** death;
static bool was_spare;

/* Victims are the lowest ranks, in the order of the arguments; of those that die restoring it is whoever joins. */
static void die_if_due(const char* where, int step) {
  for (int i = 0; i < deaths; ++i) {
    const size_t length = strlen(where);
    if (strncmp(death[i], where, length) != 0 || death[i][length] != '@' || atoi(death[i] + length + 1) != step)
      continue;
    const bool me = strcmp(where, "restoring") == 0 ? was_spare && my_rank() + 1u < num_ranks() : my_rank() == i;
    if (!me) continue;
    printf("rank %d ends: %s\n", my_rank(), death[i]);
    fflush(stdout);
    raise(SIGKILL);
  }
}

/* Two mirrors where TWO_MIRRORS is set: neighbours may die at once then. */
static gpi_cp_policy_t policy(void) {
  return getenv("TWO_MIRRORS") != NULL ? GPI_CP_POLICY_TWO_MIRRORS : GPI_CP_POLICY_RING;
}

static void begin_work(Work* work, int place) {
  work->step = 0;
  work->place = place;
  for (int i = 0; i < WORDS; ++i) work->values[i] = place + 0.001 * i;
}

static void do_step(Work* work) {
  ++work->step;
  for (int i = 0; i < WORDS; ++i) work->values[i] = work->values[i] * 1.0625 + work->step + work->place;
}

static bool is_right(const Work* work) {
  static Work expected;
  begin_work(&expected, work->place);
  while (expected.step < work->step) do_step(&expected);
  return memcmp(&expected, work, sizeof expected) == 0;
}

/* Those that work now: the first `many` of the ranks that live, those that worked before the others. */
static int choose(bool* works, int many) {
  gaspi_state_t states[64];
  int count = 0, lost = 0;
  SUCCEED(gaspi_state_vec_get(states));
  for (int rank = 0; rank < num_ranks(); ++rank) {
    if (works[rank] && states[rank] != GASPI_STATE_HEALTHY) {
      works[rank] = false;
      ++lost;
    }
    count += works[rank];
  }
  for (int rank = many; rank < num_ranks() && count < many; ++rank)
    if (!works[rank] && states[rank] == GASPI_STATE_HEALTHY) {
      works[rank] = true;
      ++count;
    }
  CHECK(count == many);
  return lost;
}

/* A group of those that work; one that cannot be made is tried again with others. */
static bool make_group(const bool* works, gaspi_group_t* group) {
  gaspi_return_t code;
  SUCCEED(gaspi_group_create(group));
  for (int rank = 0; rank < num_ranks(); ++rank)
    if (works[rank]) SUCCEED(gaspi_group_add(*group, (gaspi_rank_t)rank));
  const double end = now_ms() + PATIENCE;
  do code = gaspi_group_commit(*group, 100);
  while (code == GASPI_TIMEOUT && now_ms() < end);
  if (code != GASPI_SUCCESS) SUCCEED(gaspi_group_delete(*group));
  return code == GASPI_SUCCESS;
}

/* Until somebody dies, or all is done. */
static bool wait_as_spare(bool* works, int many) {
  while (!works[my_rank()]) {
    gaspi_notification_id_t first;
    if (gaspi_notify_waitsome(SEGMENT, 0, 1, &first, 5) == GASPI_SUCCESS) return false;
    choose(works, many);
  }
  return true;
}

static void recover(bool* works, int many, gaspi_group_t* group, gpi_cp_description_t saved) {
  const double end = now_ms() + PATIENCE;
  while (true) {
    CHECK(now_ms() < end);
    while (choose(works, many) == 0 && !was_spare && now_ms() < end - PATIENCE + 2000) sleep_ms(2);
    if (!make_group(works, group)) continue;
    die_if_due("restoring", 0);
    if (gpi_cp_restore(SEGMENT, 0, sizeof(Work), QUEUE, policy(), *group, saved, PATIENCE) == GASPI_SUCCESS) return;
    fprintf(stderr, "again: %s\n", gpi_cp_error_detail());
    SUCCEED(gaspi_group_delete(*group));
  }
}

/* False: somebody has died. */
static bool checkpoint(Work* work, Work* range, gpi_cp_description_t saved) {
  gaspi_return_t code;
  do {
    code = gpi_cp_commit(saved, GASPI_TEST);
    die_if_due("committing", work->step);
    if (code == GASPI_TIMEOUT) sleep_ms(1);
  } while (code == GASPI_TIMEOUT);
  if (code != GASPI_SUCCESS) return false;
  *range = *work;
  code = gpi_cp_start(saved, PATIENCE);
  die_if_due("started", work->step);
  return code == GASPI_SUCCESS;
}

int main(int argc, char** argv) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  CHECK(argc >= 2);
  const int spares = atoi(argv[1]), many = num_ranks() - spares;
  deaths = argc - 2;
  death = argv + 2;
  bool works[64] = {false};
  for (int rank = 0; rank < many; ++rank) works[rank] = true;
  was_spare = !works[my_rank()];
  Work* const range = create_segment(SEGMENT, sizeof(Work));
  gpi_cp_description_t saved = GPI_CP_DESCRIPTION_INITIALIZER();
  gaspi_group_t group = 0;
  static Work work;
  if (!was_spare) {
    CHECK(make_group(works, &group));
    begin_work(&work, my_rank());
    *range = work;
    SUCCEED(gpi_cp_init(SEGMENT, 0, sizeof(Work), QUEUE, policy(), group, saved, PATIENCE));
    SUCCEED(gpi_cp_start(saved, PATIENCE));
    /* A rank that has committed may be dead before another one has heard how the commit ended. */
    if (gpi_cp_commit(saved, PATIENCE) != GASPI_SUCCESS) recover(works, many, &group, saved);
  } else {
    if (!wait_as_spare(works, many)) goto end;
    recover(works, many, &group, saved);
    work = *range;
    was_spare = false;
  }
  while (work.step < STEPS) {
    do_step(&work);
    die_if_due("computing", work.step);
    if (checkpoint(&work, range, saved)) continue;
    const Work mine = *range;
    recover(works, many, &group, saved);
    CHECK(memcmp(&mine, range, sizeof mine) == 0); /* survivors keep what they have */
    SUCCEED(gpi_cp_rollback(saved, PATIENCE));
    work = *range;
    CHECK(is_right(&work));
  }
  SUCCEED(gpi_cp_commit(saved, PATIENCE));
  CHECK(is_right(&work));
  gaspi_number_t epoch = 0;
  SUCCEED(gpi_cp_get_epoch(saved, &epoch));
  CHECK(epoch == STEPS + 1);
  printf("place %d is done\n", work.place);
  fflush(stdout);
  SUCCEED(gpi_cp_finalize(saved, PATIENCE));
  gaspi_state_t states[64];
  SUCCEED(gaspi_state_vec_get(states));
  for (int rank = many; rank < num_ranks(); ++rank)
    if (!works[rank] && states[rank] == GASPI_STATE_HEALTHY) {
      SUCCEED(gaspi_notify(SEGMENT, (gaspi_rank_t)rank, 0, 1, 0, PATIENCE));
    }
  /* A spare that another one has told first may have left by now. */
  const gaspi_return_t told = gaspi_wait(0, PATIENCE);
  CHECK(told == GASPI_SUCCESS || told == GASPI_ERROR);
end:
  free(saved);
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
