// Promises that the program checks while it is tested: what a function REQUIRES of its callers, and what holds at a
// place whatever other threads and ranks do. For mistakes of this library only; wrong arguments of users are refused
// with a Status, and what comes from outside is checked in every build.
//
//   POLDER_ASSERT(index < size());
//
// Checked in builds without NDEBUG (dev, sanitizers): one that does not hold ends the process with a line on standard
// error that has the expression, the place, the thread and the rank. In a release it costs nothing and is not computed,
// so it must have no effects. The doors and apps, which see public headers only, use <cassert>.
#pragma once

namespace polder::util {

// Says so and aborts.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line, const char* function);

}  // namespace polder::util

#if defined(NDEBUG)
#define POLDER_ASSERT(condition) static_cast<void>(sizeof(!(condition)))
#else
#define POLDER_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::polder::util::assertion_failed(#condition, __FILE__, __LINE__, __func__))
#endif
