/* polder run -n N test_dart_sections [SECTION...]: these sections, or all; each between an init and an exit of its own. */
#include "check.h"

#include <unistd.h>

static const struct {
  const char* name;
  void (*run)(void);
} kSections[] = {{"groups", test_groups},
                 {"teams", test_teams},
                 {"pointers", test_pointers},
                 {"memory", test_memory},
                 {"registered", test_registered},
                 {"allocators", test_allocators},
                 {"types", test_types},
                 {"transfers", test_transfers},
                 {"handles", test_handles},
                 {"shapes", test_shapes},
                 {"atomics", test_atomics},
                 {"wide", test_wide},
                 {"collectives", test_collectives},
                 {"reductions", test_reductions},
                 {"messages", test_messages},
                 {"locks", test_locks},
                 {"threads", test_threads},
                 {"locality", test_locality},
                 {"domains", test_domains}};
enum { SECTIONS = sizeof kSections / sizeof kSections[0] };

static int wanted(const char* name, int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], name) == 0) return 1;
  return argc < 2;
}

int main(int argc, char** argv) {
  int run = 0;
  alarm(100); /* whoever takes that long hangs */
  for (int i = 0; i < SECTIONS; ++i) {
    if (!wanted(kSections[i].name, argc, argv)) continue;
    SUCCEED(dart_init(&argc, &argv));
    kSections[i].run();
    barrier();
    SUCCEED(dart_exit());
    ++run;
  }
  return run > 0 ? 0 : EXIT_FAILURE;
}
