/* A diffusion along a ring that outlives the death of ranks. GPI_CP keeps what each member has in the memory of another one; a spare
 * takes the place of a member that has died, and all go on from the last checkpoint.
 *
 *   polder run -n 4 --spares 1 --keep-going outliving_gaspi 30:2     # the member of place 2 dies in step 30
 *
 * The last ranks are spares, as many as POLDER_SPARES says. They wait until they are needed, or until the work is done. */
#include "check.h"

#include <gpi_cp.h>

#include <signal.h>
#include <time.h>

enum { CELLS = 1000, STEPS = 60, EVERY = 5 };  /* cells of a member; steps, and those from one checkpoint to the next */
enum { MOST_MEMBERS = 100, MOST_RANKS = 200 }; /* an allreduce takes 255 elements, here two a member */
enum { SAVED = 0, QUEUE = 0, DONE = 0 };       /* the segment, a queue, and the flag that the work is done */

/* What a member has, and what a spare needs to go on with it. */
typedef struct {
  long step, place;
  long cells[CELLS];
} Work;

static const long all_heat = 1000000L * CELLS;
static gaspi_rank_t me, ranks, members;
static int works[MOST_RANKS]; /* who is a member now */
static gaspi_group_t group;   /* of the members */
static gpi_cp_description_t saved;
static Work work, *range; /* range: in the segment, what the next checkpoint saves */
static unsigned recoveries;

/* Members that have died are none any more, and the lowest other ranks that live are members instead; how many. All ranks come to the
 * same, sooner or later. */
static unsigned replace_dead(void) {
  gaspi_state_t state[MOST_RANKS];
  unsigned dead = 0, missing;
  CHECK(gaspi_state_vec_get(state));
  for (gaspi_rank_t rank = 0; rank < ranks; ++rank)
    if (works[rank] && state[rank] != GASPI_STATE_HEALTHY) works[rank] = 0, ++dead;
  missing = dead;
  for (gaspi_rank_t rank = 0; rank < ranks && missing > 0; ++rank)
    if (!works[rank] && state[rank] == GASPI_STATE_HEALTHY) works[rank] = 1, --missing;
  if (missing > 0) fprintf(stderr, "no spare is left\n"), exit(EXIT_FAILURE);
  return dead;
}

/* 0: a member has died. */
static int make_group(void) {
  gaspi_return_t code;
  CHECK(gaspi_group_create(&group));
  for (gaspi_rank_t rank = 0; rank < ranks; ++rank)
    if (works[rank]) CHECK(gaspi_group_add(group, rank));
  do code = gaspi_group_commit(group, 200); /* the same group, until it is there or somebody of it is dead */
  while (code == GASPI_TIMEOUT && replace_dead() == 0);
  if (code != GASPI_SUCCESS) CHECK(gaspi_group_delete(group));
  return code == GASPI_SUCCESS;
}

/* A call may fail before the state says why. */
static void await_death(void) {
  const struct timespec moment = {.tv_nsec = 1000000};
  for (int waited = 0; replace_dead() == 0; ++waited) {
    if (waited == PATIENCE) fprintf(stderr, "nobody has died: %s\n", gpi_cp_error_detail()), exit(EXIT_FAILURE);
    nanosleep(&moment, NULL);
  }
}

/* All members, and those that join, have the last checkpoint in `work` then. */
static void recover(int joins) {
  ++recoveries;
  if (!joins) {
    CHECK(gaspi_group_delete(group));
    await_death();
  }
  while (1) {
    if (!make_group()) {
      (void)replace_dead();
      continue;
    }
    if (gpi_cp_restore(SAVED, 0, sizeof(Work), QUEUE, GPI_CP_POLICY_RING, group, saved, GASPI_BLOCK) == GASPI_SUCCESS)
      break;
    CHECK(gaspi_group_delete(group));
    await_death(); /* of another one; or nothing was committed when the first one died */
  }
  CHECK(gpi_cp_rollback(saved, GASPI_BLOCK)); /* restore leaves alone what survivors have in their ranges */
  work = *range;
}

static void found_members(void) {
  work.place = me;
  for (int i = 0; i < CELLS; ++i) work.cells[i] = me == 0 ? all_heat / CELLS : 0;
  *range = work;
  if (!make_group()) fprintf(stderr, "a rank died before the first checkpoint\n"), exit(EXIT_FAILURE);
  CHECK(gpi_cp_init(SAVED, 0, sizeof(Work), QUEUE, GPI_CP_POLICY_RING, group, saved, PATIENCE));
  CHECK(gpi_cp_start(saved, PATIENCE));
  /* A member that has committed may be dead before another one has heard how the commit ended. */
  if (gpi_cp_commit(saved, GASPI_BLOCK) != GASPI_SUCCESS) recover(0);
}

/* 0: the work is done, and this spare was not needed. */
static int wait_until_needed(void) {
  gaspi_notification_id_t flag;
  while (!works[me]) {
    if (gaspi_notify_waitsome(SAVED, DONE, 1, &flag, 10) == GASPI_SUCCESS) return 0;
    (void)replace_dead();
  }
  return 1;
}

/* Commits the last checkpoint, which has travelled meanwhile, and starts the next. 0: somebody has died. */
static int checkpoint(void) {
  if (gpi_cp_commit(saved, GASPI_BLOCK) != GASPI_SUCCESS) return 0;
  *range = work;
  return gpi_cp_start(saved, GASPI_BLOCK) == GASPI_SUCCESS;
}

/* Heat flows to both neighbours, and none is lost: whole numbers, so that sums are exact. 0: somebody has died. */
static int advance(long kill_step, long kill_place) {
  long mine[2 * MOST_MEMBERS] = {0}, edges[2 * MOST_MEMBERS], left, right;
  if (recoveries == 0 && work.step + 1 == kill_step && work.place == kill_place) raise(SIGKILL);
  mine[2 * work.place] = work.cells[0];
  mine[2 * work.place + 1] = work.cells[CELLS - 1];
  if (gaspi_allreduce(mine, edges, 2u * members, GASPI_OP_SUM, GASPI_TYPE_LONG, group, GASPI_BLOCK) != GASPI_SUCCESS)
    return 0;
  left = edges[2 * ((work.place + members - 1) % members) + 1];
  right = edges[2 * ((work.place + 1) % members)];
  for (int i = 0; i < CELLS; ++i) {
    const long before = work.cells[i], next = i + 1 < CELLS ? work.cells[i + 1] : right;
    work.cells[i] += left / 4 + next / 4 - 2 * (before / 4);
    left = before;
  }
  ++work.step;
  return work.step % EVERY != 0 || checkpoint();
}

/* 0: somebody has died. A death in this very call, which some have left by then, is beyond this example. */
static int sum_up(long* heat) {
  long mine = 0;
  for (int i = 0; i < CELLS; ++i) mine += work.cells[i];
  return gpi_cp_commit(saved, GASPI_BLOCK) == GASPI_SUCCESS &&
         gaspi_allreduce(&mine, heat, 1, GASPI_OP_SUM, GASPI_TYPE_LONG, group, GASPI_BLOCK) == GASPI_SUCCESS;
}

/* Returns whether no heat was lost. */
static int diffuse(int joins, long kill_step, long kill_place) {
  long heat = 0;
  if (joins) recover(joins);
  for (int done = 0; !done;) {
    const int well = work.step < STEPS ? advance(kill_step, kill_place) : (done = sum_up(&heat));
    if (!well) recover(0);
  }
  if (work.place == 0)
    printf("%u members, %d steps, %u recoveries: %s\n", (unsigned)members, STEPS, recoveries,
           heat == all_heat ? "no heat was lost" : "HEAT WAS LOST");
  CHECK(gpi_cp_finalize(saved, PATIENCE));
  return heat == all_heat;
}

/* Spares that were not needed wait. */
static void end_spares(void) {
  gaspi_state_t state[MOST_RANKS];
  CHECK(gaspi_state_vec_get(state));
  for (gaspi_rank_t rank = 0; rank < ranks; ++rank)
    if (!works[rank] && state[rank] == GASPI_STATE_HEALTHY) CHECK(gaspi_notify(SAVED, rank, DONE, 1, QUEUE, PATIENCE));
  CHECK(gaspi_wait(QUEUE, PATIENCE));
}

int main(int argc, char** argv) {
  const char* const spares = getenv("POLDER_SPARES");
  long kill_step = 0, kill_place = 0;
  gaspi_pointer_t memory = NULL;
  int right = 1;
  if (argc > 1 && sscanf(argv[1], "%ld:%ld", &kill_step, &kill_place) != 2)
    return fprintf(stderr, "not STEP:PLACE: '%s'\n", argv[1]), 2;
  CHECK(gaspi_proc_init(PATIENCE));
  CHECK(gaspi_proc_rank(&me));
  CHECK(gaspi_proc_num(&ranks));
  members = (gaspi_rank_t)(ranks - (spares != NULL ? atoi(spares) : 0));
  if (ranks > MOST_RANKS || members > MOST_MEMBERS) return fprintf(stderr, "too many ranks\n"), EXIT_FAILURE;
  for (gaspi_rank_t rank = 0; rank < members; ++rank) works[rank] = 1;
  CHECK(gaspi_segment_create(SAVED, sizeof(Work), GASPI_GROUP_ALL, PATIENCE, GASPI_MEM_INITIALIZED));
  CHECK(gaspi_segment_ptr(SAVED, &memory));
  range = memory;
  saved = GPI_CP_DESCRIPTION_INITIALIZER();

  const int joins = !works[me];
  if (!joins) found_members();
  if (!joins || wait_until_needed()) {
    right = diffuse(joins, kill_step, kill_place);
    end_spares();
  }
  free(saved);
  CHECK(gaspi_proc_term(PATIENCE));
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
