#include "live/process_state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace polder::cli {

// "pid (name) state ppid ...": the name may hold anything, so count from its end. Fields 14 and 15 are the times in
// user and kernel mode (proc(5)).
std::optional<ProcessState> parse_process_state(const char* text) {
  const char* const end = std::strrchr(text, ')');
  ProcessState state;
  unsigned long long user = 0, kernel = 0;
  if (end == nullptr ||
      std::sscanf(end + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &state.letter, &user, &kernel) != 3)
    return std::nullopt;
  static const long ticks = sysconf(_SC_CLK_TCK);
  state.cpu_ns =
      std::int64_t((user + kernel) * (1'000'000'000ull / (ticks > 0 ? static_cast<unsigned long>(ticks) : 100)));
  return state;
}

std::optional<ProcessState> process_state(pid_t pid) {
  const int file = open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  char text[1024];
  const ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  if (bytes <= 0) return std::nullopt;
  text[bytes] = '\0';
  return parse_process_state(text);
}

}  // namespace polder::cli
