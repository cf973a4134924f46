#include "api/dart/locality/processor_system.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

namespace polder::dart {
namespace {

// The place-th that this process may run on.
int nth_allowed(unsigned place) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) == 0) return 0;
  unsigned left = place % unsigned(CPU_COUNT(&set));
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set) && left-- == 0) return cpu;
  return 0;
}

}  // namespace

int describe_by_system(dart_hwinfo_t& info, unsigned place) {
  const int cpu = nth_allowed(place);
  info.num_cores = int(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  info.num_numa = info.num_sockets = 1;
  info.numa_id = 0;
  info.core_id = info.cpu_id = cpu;
  info.min_threads = info.max_threads = 1;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) info.system_memory_bytes = info.numa_memory_bytes = int(pages / 1024 * page / 1024);
  info.scopes[0] = {DART_LOCALITY_SCOPE_CORE, cpu};
  info.num_scopes = 1;
  return cpu;
}

}  // namespace polder::dart
