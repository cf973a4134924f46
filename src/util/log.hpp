// Lines for a person, on standard error. The function that first knows the cause of an error logs it or puts it into a
// Status; never both.
#pragma once

namespace polder::util {

enum class LogLevel { error, warning, info, debug };

// Prints "polder: warning: ..." in one write, if POLDER_LOG (error, warning, info, debug; default warning) asks for the
// level.
void log(LogLevel level, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace polder::util
