// Where the scheduler puts a thread to begin with.
#pragma once

namespace polder::util {

// Moves the calling thread, number `index` of `threads` of node number `node`, to a core of those on which it may run, so that all of
// them are spread evenly, and lets it run on all of them again. A hint: from then on the scheduler does as it likes. Does nothing where
// there is but one core, or where the system refuses.
void begin_on_core(unsigned index, unsigned threads, unsigned node);

// Which of `cores` that is. Each node begins one core further: where several are one machine, as containers may be, the first ranks of
// all, who talk to each other for the others, would be on one core.
constexpr unsigned core_to_begin_on(unsigned index, unsigned threads, unsigned node, unsigned cores) {
  return ((threads < cores ? index * cores / threads : index % cores) + node % cores) % cores;
}

}  // namespace polder::util
