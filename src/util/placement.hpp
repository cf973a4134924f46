// Where the scheduler puts a thread to begin with.
#pragma once

namespace polder::util {

// Moves the calling thread, number `index` of `threads`, to a core of those on which it may run, so that all of them are spread
// evenly, and lets it run on all of them again. A hint: from then on the scheduler does as it likes. Does nothing where there
// is but one core, or where the system refuses.
void begin_on_core(unsigned index, unsigned threads);

// Which of `cores` that is.
constexpr unsigned core_to_begin_on(unsigned index, unsigned threads, unsigned cores) {
  return threads < cores ? index * cores / threads : index % cores;
}

}  // namespace polder::util
