#include "common/cores.hpp"
#include "common/keep.hpp"
#include "limits/limits.hpp"

#include <csignal>
#include <cstdint>
#include <cstdio>

#include <sys/prctl.h>
#include <unistd.h>

namespace bench {

void run_hog(Machine&, const Arguments& arguments) {
  // However the driver ends, its hogs must not outlive it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == 1) return;
  pin_to(int(arguments.cpu));
  std::puts("{\"name\": \"hog\"}");  // the driver waits for this line before it measures
  std::fflush(stdout);
  for (std::uint64_t work = 0;; ++work) keep(&work);
}

}  // namespace bench
