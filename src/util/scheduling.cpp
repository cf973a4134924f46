#include "util/scheduling.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace polder::util {
namespace {

// As the kernel defines it; the C library of Debian 12 does not know it.
struct SchedulingAttributes {
  std::uint32_t size;
  std::uint32_t policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime;  // of the usual policy: the length of a slice, nanoseconds
  std::uint64_t deadline;
  std::uint64_t period;
};

void ask(std::int64_t nanoseconds) {
  SchedulingAttributes now{};
  if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0 || now.policy != SCHED_OTHER) return;
  now.size = sizeof now;
  now.runtime = std::uint64_t(nanoseconds);
  syscall(SYS_sched_setattr, 0, &now, 0);  // refused or ignored: then waiting takes longer, and nothing else
}

}  // namespace

void ask_for_short_slices(std::int64_t nanoseconds) {
  static thread_local bool asked = false;
  if (asked || nanoseconds == 0) return;
  asked = true;
  ask(nanoseconds);
}

}  // namespace polder::util
