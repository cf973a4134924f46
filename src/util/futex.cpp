#include "util/futex.hpp"

#include "util/fibres.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace polder::util {

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t nanoseconds) {
  if (Fibres* machine = Fibres::here()) return machine->sleep_on(word, expected, nanoseconds);
  timespec span{.tv_sec = nanoseconds / 1'000'000'000, .tv_nsec = nanoseconds % 1'000'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &span, nullptr, 0);
}

void futex_wake(const std::atomic<std::uint32_t>& word, int count) {
  if (Fibres* machine = Fibres::here()) return machine->wake(word, count);
  syscall(SYS_futex, &word, FUTEX_WAKE, count, nullptr, nullptr, 0);
}

}  // namespace polder::util
