// What the kernel says of a process.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace polder::cli {

struct ProcessState {
  char letter = '?';        // as in /proc: R runs or could, S sleeps, D sleeps in the kernel, T is stopped, Z has ended
  std::int64_t cpu_ns = 0;  // of all its threads so far, in steps of a clock tick (10 ms)
};

// Nothing: it is gone. `text` is that of /proc/PID/stat.
std::optional<ProcessState> parse_process_state(const char* text);
std::optional<ProcessState> process_state(pid_t pid);

}  // namespace polder::cli
