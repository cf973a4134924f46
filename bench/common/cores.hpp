// The cores that this program may use, and sitting down on one of them.
#pragma once

#include <vector>

namespace bench {

// Numbers of the cores in this process's affinity mask, ascending. At least one.
std::vector<int> usable_cores();

// Keeps the calling process on `core`. Ends the program with a message if that is refused.
void pin_to(int core);

}  // namespace bench
