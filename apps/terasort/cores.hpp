// How many threads are worth starting.
#pragma once

namespace terasort {

// The cores that this process may run on; at least 1.
unsigned usable_cores();

}  // namespace terasort
