/* A program of MPI that uses DART between MPI_Init and MPI_Finalize, as DASH's test program does, with an HDF5 of its own. */
#include <mpi.h>

#include <stdint.h>

typedef int64_t hid_t;
#include "check.h"

#include <dash/dart/if/dart_io.h>

#include <unistd.h>

/* What HDF5 would be called with. */
static hid_t prepared;
static int members, sum;
int H5Pset_fapl_mpio(hid_t list, MPI_Comm communicator, MPI_Info info);

int H5Pset_fapl_mpio(hid_t list, MPI_Comm communicator, MPI_Info info) {
  int rank = 0, one = 0;
  prepared = list;
  MPI_Comm_size(communicator, &members);
  MPI_Comm_rank(communicator, &rank);
  one = rank + 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, communicator);
  return info == MPI_INFO_NULL && list > 0 ? 0 : -1;
}

static void files_of_a_team(dart_team_t team, hid_t list) {
  const int size = team_size(team);
  SUCCEED(dart__io__hdf5__prep_mpio(list, team));
  CHECK(prepared == list && members == size && sum == size * (size + 1) / 2);
  be_quiet(1);
  EXPECT(DART_ERR_OTHER, dart__io__hdf5__prep_mpio(-1, team));
  be_quiet(0);
}

static void one_life(int level) {
  dart_thread_support_level_t provided;
  int rank = -1, size = 0;
  SUCCEED(dart_init_thread(NULL, NULL, &provided));
  CHECK((provided == DART_THREAD_MULTIPLE) == (level == MPI_THREAD_MULTIPLE));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(me() == rank && units() == size);
  dart_team_t half = team_of(DART_TEAM_ALL, me() % 2, 2);
  files_of_a_team(DART_TEAM_ALL, 4711);
  files_of_a_team(half, INT64_C(0x123456789));
  REFUSED(dart__io__hdf5__prep_mpio(1, 99));
  dart_gptr_t pointer = allocate(half, 1, DART_TYPE_INT);
  release(pointer);
  SUCCEED(dart_exit());
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int level = 0;
  alarm(60);
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  for (int i = 0; i < 3; ++i) one_life(level);
  MPI_Finalize();
  CHECK(!dart_initialized());
  return 0;
}
