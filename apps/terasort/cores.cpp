#include "cores.hpp"

#include <algorithm>

#include <sched.h>

namespace terasort {

unsigned usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return 1;
  return unsigned(std::max(1, CPU_COUNT(&allowed)));
}

}  // namespace terasort
