// What the ARMCI programs measure; the same source over each ARMCI.
#pragma once

#include "armci/armci_world.hpp"
#include "common/arguments.hpp"

namespace bench {

void measure_contiguous(ArmciWorld& world, const Arguments& arguments);
void measure_patches(ArmciWorld& world, const Arguments& arguments);
void measure_nonblocking(ArmciWorld& world, const Arguments& arguments);
void measure_busy_target(ArmciWorld& world, const Arguments& arguments);
void measure_fences(ArmciWorld& world, const Arguments& arguments);
void measure_fetch_add(ArmciWorld& world, const Arguments& arguments);
void measure_together(ArmciWorld& world, const Arguments& arguments);
void measure_memory(ArmciWorld& world, const Arguments& arguments);

}  // namespace bench
