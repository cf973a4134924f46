#include "common/cores.hpp"

#include <cstdio>
#include <cstdlib>

#include <sched.h>

namespace bench {

std::vector<int> usable_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) {
    std::perror("bench: sched_getaffinity");
    std::exit(1);
  }
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  return cores;
}

void pin_to(int core) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(core, &mask);
  if (sched_setaffinity(0, sizeof mask, &mask) == 0) return;
  std::fprintf(stderr, "bench: cannot pin process to core %d: ", core);
  std::perror(nullptr);
  std::exit(1);
}

}  // namespace bench
