/* What every test of this folder uses: checks that end the job, and a few things made of the calls under test. */
#ifndef CHECK_H
#define CHECK_H

#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_locality.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int me(void) {
  dart_global_unit_t unit;
  dart_myid(&unit);
  return unit.id;
}
static inline int units(void) {
  size_t size;
  dart_size(&size);
  return (int)size;
}
static inline int next(void) {
  return (me() + 1) % units();
}
static inline int previous(void) {
  return (me() + units() - 1) % units();
}

static inline void check_that(int truth, const char* text, const char* file, int line) {
  if (truth) return;
  fprintf(stderr, "%s:%d: unit %d: failed: %s\n", file, line, me(), text);
  dart_abort(EXIT_FAILURE);
}

#define CHECK(truth) check_that((truth), #truth, __FILE__, __LINE__)
#define EXPECT(code, call) CHECK((call) == (code))
#define SUCCEED(call) EXPECT(DART_OK, call)
/* Refused calls tell why on the standard error, which would hide what matters. */
#define REFUSED(call) (be_quiet(1), CHECK((call) == DART_ERR_INVAL), be_quiet(0))

static inline void be_quiet(int quiet) {
  dart_config_t* config;
  dart_config(&config);
  config->log_enabled = !quiet;
}

static inline void barrier(void) {
  SUCCEED(dart_barrier(DART_TEAM_ALL));
}

static inline dart_gptr_t at(dart_gptr_t pointer, int unit, size_t offset) {
  pointer.unitid = unit;
  pointer.addr_or_offs.offset = offset;
  return pointer;
}

/* The caller's own part of a segment. */
static inline void* own_part(dart_gptr_t pointer) {
  dart_team_unit_t unit;
  void* address = NULL;
  SUCCEED(dart_team_myid(pointer.teamid, &unit));
  SUCCEED(dart_gptr_getaddr(at(pointer, unit.id, 0), &address));
  return address;
}

static inline dart_gptr_t allocate(dart_team_t team, size_t elements, dart_datatype_t type) {
  dart_gptr_t pointer;
  SUCCEED(dart_team_memalloc_aligned(team, elements, type, &pointer));
  return pointer;
}

static inline void release(dart_gptr_t pointer) {
  SUCCEED(dart_barrier(pointer.teamid));
  SUCCEED(dart_team_memfree(pointer));
}

/* Collective over `parent`: the team of its members `first`, `first + step`, ... by global id. */
static inline dart_team_t team_of(dart_team_t parent, int first, int step) {
  dart_group_t group;
  dart_team_t team;
  SUCCEED(dart_group_create(&group));
  for (int unit = first; unit < units(); unit += step) SUCCEED(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(unit)));
  SUCCEED(dart_team_create(parent, group, &team));
  SUCCEED(dart_group_destroy(&group));
  return team;
}

static inline int team_size(dart_team_t team) {
  size_t size;
  SUCCEED(dart_team_size(team, &size));
  return (int)size;
}
static inline int team_me(dart_team_t team) {
  dart_team_unit_t unit;
  SUCCEED(dart_team_myid(team, &unit));
  return unit.id;
}

/* The sections; main.c has the table. */
void test_groups(void);
void test_teams(void);
void test_pointers(void);
void test_memory(void);
void test_registered(void);
void test_allocators(void);
void test_types(void);
void test_transfers(void);
void test_handles(void);
void test_shapes(void);
void test_atomics(void);
void test_wide(void);
void test_collectives(void);
void test_reductions(void);
void test_messages(void);
void test_locks(void);
void test_threads(void);
void test_locality(void);
void test_domains(void);

/* A team of unit 0 and another one. */
static inline dart_team_t pair_with(int unit) {
  dart_group_t group;
  dart_team_t team;
  SUCCEED(dart_group_create(&group));
  SUCCEED(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(0)));
  SUCCEED(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(unit)));
  SUCCEED(dart_team_create(DART_TEAM_ALL, group, &team));
  SUCCEED(dart_group_destroy(&group));
  return team;
}

#endif
