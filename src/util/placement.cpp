#include "util/placement.hpp"

#include "util/assert.hpp"

#include <sched.h>

namespace polder::util {
namespace {

// The core number `index` of `cores`. REQUIRES: index < CPU_COUNT(&cores).
cpu_set_t only(const cpu_set_t& cores, unsigned index) {
  POLDER_ASSERT(int(index) < CPU_COUNT(&cores));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &cores) || index-- != 0) continue;
    CPU_SET(core, &one);
    break;
  }
  return one;
}

}  // namespace

void begin_on_core(unsigned index, unsigned threads, unsigned node) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  const auto cores = unsigned(CPU_COUNT(&allowed));
  if (cores < 2) return;
  const cpu_set_t one = only(allowed, core_to_begin_on(index, threads, node, cores));
  if (sched_setaffinity(0, sizeof one, &one) != 0) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace polder::util
