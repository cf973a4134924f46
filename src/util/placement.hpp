// Where the scheduler puts a thread to begin with.
#pragma once

namespace polder::util {

// Moves the calling thread to the core number `index`, counted round, of those on which it may run, and lets it run on
// all of them again. A hint: from then on the scheduler does as it likes. Does nothing where there is but one, or where
// the system refuses.
void begin_on_core(unsigned index);

}  // namespace polder::util
