/* mpirun -n N test_armci_MPI [SECTION...]: these sections, or all. */
#include "check.h"

#include <unistd.h>

static const struct {
  const char* name;
  void (*run)(void);
} kSections[] = {{"memory", test_memory},         {"spares", test_spares},
                 {"contiguous", test_contiguous}, {"strided", test_strided},
                 {"accumulate", test_accumulate}, {"vector", test_vector},
                 {"values", test_values},         {"handles", test_handles},
                 {"order", test_order},           {"rmw", test_rmw},
                 {"mutexes", test_mutexes},       {"groups", test_groups},
                 {"domains", test_domains},       {"messages", test_messages},
                 {"reductions", test_reductions}, {"selection", test_selection},
                 {"private", test_private},       {"mpi", test_mpi},
                 {"errors", test_errors}};
enum { SECTIONS = sizeof kSections / sizeof kSections[0] };

static int wanted(const char* name, int argc, char** argv) {
  if (argc < 2) return 1;
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], name) == 0) return 1;
  return 0;
}

int main(int argc, char** argv) {
  int run = 0;
  alarm(100); /* whoever takes that long hangs */
  MPI_Init(&argc, &argv);
  SUCCEED(ARMCI_Init());
  CHECK(ranks() <= MOST_RANKS);
  for (int i = 0; i < SECTIONS; ++i) {
    if (!wanted(kSections[i].name, argc, argv)) continue;
    kSections[i].run();
    ARMCI_Barrier();
    ++run;
  }
  CHECK(run > 0);
  SUCCEED(ARMCI_Finalize());
  MPI_Finalize();
  return 0;
}
