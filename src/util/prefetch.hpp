// Cache lines that are asked for before they are needed.
#pragma once

#include "util/platform.hpp"

namespace polder::util {

// Of a line that is written soon and that others have read: it comes while other work is done, so that neither the store
// nor a fence behind it waits for it.
POLDER_ALWAYS_INLINE void prefetch_to_write(const void* line) {
#if POLDER_X86
  __asm__ __volatile__("prefetchw %0"
                       :
                       : "m"(*static_cast<const char*>(line)));  // the builtin's needs not be for writing
#else
  __builtin_prefetch(line, 1);
#endif
}

// Of a line that is read soon and that nobody is writing: from a writer at work it would be taken away.
POLDER_ALWAYS_INLINE void prefetch_to_read(const void* line) {
  __builtin_prefetch(line);
}

}  // namespace polder::util
