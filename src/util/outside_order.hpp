// What order comes into this process through other ones, told to the thread sanitizer, which does not see it.
//
// A rank writes its memory and tells another process in memory that both map. That one puts into this rank's memory, and a thread of this
// process that serves its network stores what has come. So the store is behind the rank's writes, but no chain of locks and atomics in this
// process says so. The sanitizer takes all that is told to be heard by all who hear: it would miss a race in which a rank tells something
// else. Ranks that are threads hear nothing in this way, as long as they have no network; nothing is told where no sanitizer is linked.
#pragma once

#include "util/platform.hpp"

#include <unistd.h>

extern "C" {
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
}

namespace polder::util {

// A place that the library and its plug-ins, which have their own copies of all else, have in common.
inline void* outside() {
  return &::environ;
}

// What this thread has done is before what others do who are told of it next.
inline void tell_outside() {
  if constexpr (kThreadSanitizer)
    if (__tsan_release != nullptr) __tsan_release(outside());
}

// What this thread does next may be asked for by those who were told.
inline void hear_outside() {
  if constexpr (kThreadSanitizer)
    if (__tsan_acquire != nullptr) __tsan_acquire(outside());
}

}  // namespace polder::util
