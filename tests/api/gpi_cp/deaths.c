/* Members die, where it hurts most, and spares take their places: deaths SCENARIO [POLLS]. The last ranks are spares. */
#include "check.h"

#include <gpi_cp.h>

#include <signal.h>

enum { QUEUE = 4, WORDS = 3000 };

/* A range in a segment whose number and offset differ at each rank. */
struct saved_range {
  gaspi_segment_id_t segment;
  gaspi_offset_t offset;
  unsigned* words;
};

static gaspi_segment_id_t segment_of(unsigned rank) {
  return (gaspi_segment_id_t)(2 + rank % 3 * 7);
}

static struct saved_range make_range(void) {
  const unsigned me = my_rank();
  struct saved_range made = {segment_of(me), 8 * (me % 5), NULL};
  gaspi_pointer_t memory = NULL;
  SUCCEED(gaspi_segment_alloc(made.segment, made.offset + WORDS * sizeof(unsigned), GASPI_MEM_INITIALIZED));
  SUCCEED(gaspi_segment_ptr(made.segment, &memory));
  made.words = (unsigned*)(void*)((char*)memory + made.offset);
  return made;
}

/* What the member of `place` has in step `step`. */
static unsigned word_of(unsigned place, unsigned step, unsigned i) {
  return (place * 1000003u + step * 7919u + i) * 2654435761u;
}

static void fill_words(unsigned* words, unsigned place, unsigned step) {
  for (unsigned i = 0; i < WORDS; ++i) words[i] = word_of(place, step, i);
}

static int has_words(const unsigned* words, unsigned place, unsigned step) {
  for (unsigned i = 0; i < WORDS; ++i)
    if (words[i] != word_of(place, step, i)) return 0;
  return 1;
}

static unsigned long epoch_of(gpi_cp_description_t saved) {
  gaspi_number_t epoch = ~0u;
  SUCCEED(gpi_cp_get_epoch(saved, &epoch));
  return epoch;
}

/* Ranks from 0 on, without those in `left_out`. */
static gaspi_group_t group_without(unsigned count, unsigned long left_out) {
  gaspi_group_t group = 0;
  SUCCEED(gaspi_group_create(&group));
  for (unsigned rank = 0; rank < count; ++rank)
    if ((left_out >> rank & 1) == 0) SUCCEED(gaspi_group_add(group, (gaspi_rank_t)rank));
  return group;
}

struct scenario {
  const char* name;
  unsigned spares;
  unsigned long victims; /* ranks that die first ... */
  unsigned long second;  /* ... and after that, or in the recovery from it */
  gpi_cp_policy_t policy;
};

static const struct scenario scenarios[] = {
    {"after_commit", 1, 1 << 1, 0, GPI_CP_POLICY_RING},
    {"started", 1, 1 << 1, 0, GPI_CP_POLICY_RING},
    {"in_commit", 1, 1 << 2, 0, GPI_CP_POLICY_RING},
    {"nothing_committed", 1, 1 << 0, 0, GPI_CP_POLICY_RING},
    {"two_in_a_row", 2, 1 << 1, 1 << 0, GPI_CP_POLICY_RING}, /* the second one was the left neighbour of the first */
    {"two_at_once", 2, 1 << 1 | 1 << 2, 0, GPI_CP_POLICY_TWO_MIRRORS},
    {"in_restore", 2, 1 << 1, 1 << 3, GPI_CP_POLICY_RING},
    {"lost", 2, 1 << 1 | 1 << 2, 0, GPI_CP_POLICY_RING}, /* and the one that had the copy of the other */
    {"absent_joiner", 2, 1 << 2, 1 << 3, GPI_CP_POLICY_RING},
    {"absent_others", 2, 1 << 2, 1 << 3, GPI_CP_POLICY_RING},
};

static struct scenario now;
static struct saved_range range;
static gpi_cp_description_t saved;
static gaspi_group_t group;
static unsigned long expected_epoch;
static int polls;

static int is(const char* name) {
  return strcmp(now.name, name) == 0;
}
static unsigned members(void) {
  return num_ranks() - now.spares;
}
/* The first who joins, without a call. */
static int joiner_dies(void) {
  return is("absent_joiner") || is("absent_others");
}
/* Whose work this rank has: of those who join the lowest has that of the lowest that is gone. */
static unsigned place(void) {
  const unsigned first = (unsigned)__builtin_ctzl(now.victims);
  if (my_rank() < members()) return my_rank();
  if (my_rank() == members() || joiner_dies()) return first;
  return (unsigned)__builtin_ctzl((now.victims | now.second) & ~(1ul << first));
}
static int among(unsigned long ranks) {
  return (ranks >> my_rank() & 1) != 0;
}

/* What a rank sends last may die with it, and then others never see the end of the call in which it was sent. So the victims wait until
 * all others of the group, ranks below `count` but for those left out, say that they are through. */
static void let_all_be_through(unsigned long victims, unsigned count, unsigned long left_out) {
  for (unsigned rank = 0; rank < count; ++rank) {
    gaspi_notification_id_t first;
    if ((left_out >> rank & 1) != 0 || (victims >> rank & 1) == (unsigned)among(victims)) continue;
    if (among(victims))
      SUCCEED(gaspi_notify_waitsome(range.segment, (gaspi_notification_id_t)rank, 1, &first, PATIENCE));
    else
      SUCCEED(gaspi_notify(segment_of(rank), (gaspi_rank_t)rank, (gaspi_notification_id_t)my_rank(), 1, 0, PATIENCE));
  }
}

static void wait_until_dead(unsigned long ranks) {
  gaspi_state_t states[64];
  const double end = now_ms() + PATIENCE;
  unsigned long dead = 0;
  while ((dead & ranks) != ranks) {
    CHECK(now_ms() < end);
    sleep_ms(1);
    SUCCEED(gaspi_state_vec_get(states));
    dead = 0;
    for (unsigned rank = 0; rank < num_ranks(); ++rank)
      if (states[rank] != GASPI_STATE_HEALTHY) dead |= 1ul << rank;
  }
}

static gaspi_return_t restore(gaspi_group_t with, gaspi_timeout_t timeout) {
  return gpi_cp_restore(range.segment, range.offset, 4 * WORDS, QUEUE, now.policy, with, saved, timeout);
}

static void save(unsigned step) {
  fill_words(range.words, place(), step);
  SUCCEED(gpi_cp_start(saved, PATIENCE));
  SUCCEED(gpi_cp_commit(saved, PATIENCE));
  CHECK(epoch_of(saved) == step);
}

/* To where the scenario has its deaths. */
static void work(void) {
  gaspi_return_t code = GASPI_TIMEOUT;
  SUCCEED(gaspi_group_commit(group, PATIENCE));
  SUCCEED(gpi_cp_init(range.segment, range.offset, 4 * WORDS, QUEUE, now.policy, group, saved, PATIENCE));
  if (!is("nothing_committed")) save(1);
  expected_epoch = epoch_of(saved);
  if (is("started") || is("in_commit")) {
    fill_words(range.words, my_rank(), 2);
    SUCCEED(gpi_cp_start(saved, PATIENCE));
  }
  SUCCEED(gaspi_barrier(group, PATIENCE));
  let_all_be_through(now.victims, members(), 0);
  if (is("in_commit"))
    for (unsigned turn = 0; among(now.victims) && turn < 3; ++turn) (void)gpi_cp_commit(saved, GASPI_TEST);
  if (among(now.victims)) raise(SIGKILL);
  if (is("started")) EXPECT(GASPI_ERROR, gpi_cp_commit(saved, PATIENCE));
  if (is("in_commit")) {
    while (code == GASPI_TIMEOUT) code = gpi_cp_commit(saved, GASPI_TEST);
    CHECK(code == GASPI_SUCCESS || code == GASPI_ERROR);
    CHECK(epoch_of(saved) == (code == GASPI_SUCCESS ? 2 : 1));
    CHECK(code == GASPI_SUCCESS || gpi_cp_start(saved, PATIENCE) == GASPI_ERROR);
    expected_epoch = epoch_of(saved);
  }
  if (is("started")) CHECK(epoch_of(saved) == 1 && !gpi_cp_get_state_in_progress(saved));
}

/* A group of all that live; of the spares those that are needed. */
static gaspi_group_t next_group(unsigned long dead) {
  const unsigned joining = (unsigned)__builtin_popcountl(dead);
  const gaspi_group_t made = group_without(members() + joining, dead);
  SUCCEED(gaspi_group_commit(made, PATIENCE));
  return made;
}

static gaspi_return_t restore_polled(gaspi_group_t with) {
  gaspi_return_t code;
  while ((code = restore(with, GASPI_TEST)) == GASPI_TIMEOUT) {
  }
  return code;
}

/* Survivors have what they wrote last, until they roll back; those who joined have what was committed. */
static void check_restored(int joined, unsigned newer) {
  gaspi_ulong lowest = epoch_of(saved), highest = lowest;
  SUCCEED(gaspi_allreduce(&lowest, &lowest, 1, GASPI_OP_MIN, GASPI_TYPE_ULONG, group, PATIENCE));
  SUCCEED(gaspi_allreduce(&highest, &highest, 1, GASPI_OP_MAX, GASPI_TYPE_ULONG, group, PATIENCE));
  CHECK(lowest == highest && (joined || lowest == expected_epoch || (is("in_commit") && lowest == 2)));
  expected_epoch = lowest;
  CHECK(has_words(range.words, joined ? place() : my_rank(), joined ? (unsigned)lowest : newer));
  SUCCEED(gpi_cp_read_buddy(saved, PATIENCE));
  SUCCEED(gpi_cp_rollback(saved, PATIENCE));
  CHECK(has_words(range.words, place(), (unsigned)lowest));
}

/* The joiner makes no call, and dies. Until then rank 1 has looked a few times, and rank 0 has done its part of what comes before
 * the joiner is needed; or rank 1 waits, and rank 0 makes no call with this group either. */
static void restore_in_vain(void) {
  for (int turn = 0; my_rank() == 1 && turn < polls; ++turn) {
    EXPECT(GASPI_TIMEOUT, restore(group, GASPI_TEST));
    sleep_ms(20);
  }
  let_all_be_through(now.second, members() + 1, now.victims);
  if (among(now.second)) raise(SIGKILL);
  if (my_rank() == 0 && is("absent_joiner")) EXPECT(GASPI_ERROR, restore_polled(group));
  if (my_rank() == 1 && is("absent_others")) EXPECT(GASPI_ERROR, restore(group, GASPI_BLOCK));
}

static void recover(void) {
  int joined = my_rank() >= members();
  if (joined && my_rank() - members() >= (unsigned)__builtin_popcountl(now.victims)) return; /* for the second death */
  fill_words(range.words, my_rank(), 99);
  if (!joined) SUCCEED(gaspi_group_delete(group));
  group = next_group(now.victims);
  if (joiner_dies()) {
    restore_in_vain();
    return;
  }
  if (is("in_restore")) {
    for (unsigned turn = 0; among(now.second) && turn < 40; ++turn) (void)restore(group, GASPI_TEST);
    if (among(now.second)) raise(SIGKILL);
    const gaspi_return_t code = restore_polled(group);
    CHECK(code == GASPI_SUCCESS || code == GASPI_ERROR);
    return;
  }
  if (is("nothing_committed")) {
    EXPECT(GASPI_ERROR, restore(group, PATIENCE));
    CHECK(has_words(range.words, my_rank(), 99));
    return;
  }
  if (is("lost")) {
    EXPECT(GASPI_ERROR, restore(group, PATIENCE));
    CHECK(joined || strstr(gpi_cp_error_detail(), "of epoch 1 no copy is left of the parts of rank 1") != NULL);
    return;
  }
  SUCCEED(is("started") ? restore_polled(group) : restore(group, PATIENCE));
  check_restored(joined, 99);
  let_all_be_through(now.second, members() + (unsigned)__builtin_popcountl(now.victims), now.victims);
}

static void recover_again(void) {
  const unsigned long dead = now.victims | now.second;
  if (!is("in_restore") && among(now.second)) raise(SIGKILL);
  wait_until_dead(dead);
  const int joined = my_rank() >= members();
  const int fresh = my_rank() == num_ranks() - 1u;
  fill_words(range.words, my_rank(), 77);
  if (!fresh) SUCCEED(gaspi_group_delete(group));
  group = next_group(dead);
  SUCCEED(restore(group, PATIENCE));
  if (is("in_restore"))
    check_restored(joined, !joined ? 77 : (unsigned)epoch_of(saved));
  else
    check_restored(fresh, 77);
}

int main(int count, char** words) {
  for (unsigned i = 0; i < sizeof scenarios / sizeof scenarios[0]; ++i)
    if (count > 1 && strcmp(words[1], scenarios[i].name) == 0) now = scenarios[i];
  CHECK(now.name != NULL);
  if (count > 2) polls = atoi(words[2]);
  SUCCEED(gaspi_proc_init(PATIENCE));
  CHECK(num_ranks() > now.spares + 2);
  range = make_range();
  saved = GPI_CP_DESCRIPTION_INITIALIZER();
  group = group_without(members(), 0);
  if (my_rank() < members())
    work();
  else
    SUCCEED(gaspi_group_delete(group));
  wait_until_dead(now.victims);
  recover();
  if (now.second != 0) recover_again();
  if (!is("lost") && !is("nothing_committed")) {
    save((unsigned)expected_epoch + 1);
    save((unsigned)expected_epoch + 2);
  }
  if (!is("lost") && !is("nothing_committed"))
    SUCCEED(gpi_cp_finalize(saved, PATIENCE)); /* else gaspi_proc_term ends it */
  const unsigned mine = place();
  SUCCEED(gaspi_proc_term(PATIENCE));
  free(saved);
  printf("place %u is done\n", mine);
  return EXIT_SUCCESS;
}
