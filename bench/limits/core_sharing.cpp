// What it costs to pass a core on, or to wake somebody who sleeps.
#include "limits/limits.hpp"
#include "limits/ping_pong.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bench {
namespace {

void tell_sleeper(Line& line, std::uint32_t turn) {
  line.word.store(turn, std::memory_order_release);
  syscall(SYS_futex, &line.word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void sleep_until(Line& line, std::uint32_t turn) {
  for (std::uint32_t seen; (seen = line.word.load(std::memory_order_acquire)) != turn;)
    syscall(SYS_futex, &line.word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

}  // namespace

void measure_futex(Machine& machine, const Arguments& arguments) {
  const int first = machine.cores[0];
  measure_ping_pong("futex_same_core", {first, first}, arguments, tell_sleeper, sleep_until);
  if (machine.cores.size() > 1)
    measure_ping_pong("futex_other_core", {first, machine.cores[1]}, arguments, tell_sleeper, sleep_until);
}

void measure_yield(Machine& machine, const Arguments& arguments) {
  const int first = machine.cores[0];
  measure_ping_pong(
      "yield_same_core", {first, first}, arguments,
      [](Line& line, std::uint32_t turn) { line.word.store(turn, std::memory_order_release); },
      [](Line& line, std::uint32_t turn) {
        while (line.word.load(std::memory_order_acquire) != turn) sched_yield();
      });
}

}  // namespace bench
