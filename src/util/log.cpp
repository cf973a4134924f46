#include "util/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace polder::util {
namespace {

constexpr const char* kNames[] = {"error", "warning", "info", "debug"};

int wanted_level() {
  const char* text = std::getenv("POLDER_LOG");
  for (int level = 0; text != nullptr && level < 4; ++level)
    if (std::strcmp(text, kNames[level]) == 0) return level;
  if (text != nullptr && *text != '\0')
    std::fprintf(stderr,
                 "polder: warning: POLDER_LOG=%s is not understood; using warning (error, warning, info, debug)\n",
                 text);
  return int(LogLevel::warning);
}

}  // namespace

void log(LogLevel level, const char* format, ...) {
  static const int wanted = wanted_level();
  if (int(level) > wanted) return;
  char line[1024];
  int length = std::snprintf(line, sizeof line, "polder: %s: ", kNames[int(level)]);
  va_list arguments;
  va_start(arguments, format);
  length += std::vsnprintf(line + length, sizeof line - std::size_t(length) - 1, format, arguments);
  va_end(arguments);
  length = std::min(length, int(sizeof line) - 2);
  line[length++] = '\n';
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, std::size_t(length));
}

}  // namespace polder::util
