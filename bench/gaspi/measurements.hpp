// What the GASPI door costs and how fast its collectives are. One function each, in the file of its subject; rank 0
// prints.
#pragma once

#include "common/arguments.hpp"
#include "common/report.hpp"
#include "gaspi/gaspi_world.hpp"

namespace bench {

// door.cpp
void measure_door(GaspiWorld& world, const Arguments& arguments);  // write_notify of 8 bytes, and the C++ call; 2 ranks
void measure_waitsome(GaspiWorld& world, const Arguments& arguments);    // over 65,536 flags, the last one is set
void measure_gaspi_rate(GaspiWorld& world, const Arguments& arguments);  // 1, 4 and 16 threads on one queue; 2 ranks

// together.cpp
void measure_gaspi_barrier(GaspiWorld& world, const Arguments& arguments);
void measure_gaspi_allreduce(GaspiWorld& world, const Arguments& arguments);

}  // namespace bench
