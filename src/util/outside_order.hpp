// What order comes into this process through other ones, told to the thread sanitizer, which does not see it.
//
// A rank writes its memory and tells another process in memory that both map. That one puts into this rank's memory, and a thread of this
// process that serves it stores what has come; or the other way round, a thread has stored, and another process tells the rank of it. So
// one is behind the other, but no chain of locks and atomics in this process says so. Whatever is told is taken to be heard by all who
// hear: the sanitizer would miss a race in which a rank tells something else. So this counts in processes that are one rank only. Ranks
// that are threads of a test see all of each other, and so does the sanitizer.
#pragma once

#include "util/platform.hpp"

#include <unistd.h>
#include <cstdlib>
#include <initializer_list>

extern "C" {
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
}

namespace polder::util {

// A launcher has started this process as a rank (of `polder run`, `gaspi_run`, mpirun, srun and mpiexec).
inline bool is_started_as_rank() {
  for (const char* name : {"POLDER_RANK", "GASPI_RANK", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

inline bool order_comes_from_outside() {
  static const bool known = kThreadSanitizer && __tsan_acquire != nullptr && is_started_as_rank();
  return known;
}

// A place that the library and its plug-ins, which have their own copies of all else, have in common.
inline void* outside() {
  return &::environ;
}

// What this thread has done is before what others do who are told of it next.
inline void tell_outside() {
  if constexpr (kThreadSanitizer)
    if (order_comes_from_outside()) __tsan_release(outside());
}

// What this thread does next is behind what others have done who told it.
inline void hear_outside() {
  if constexpr (kThreadSanitizer)
    if (order_comes_from_outside()) __tsan_acquire(outside());
}

}  // namespace polder::util
