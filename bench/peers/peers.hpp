// The measurements of bench/micro done with MPI, under the same names where they mean the same. One function per
// measurement, each in the file of its subject; rank 0 prints.
#pragma once

#include "common/arguments.hpp"
#include "common/report.hpp"
#include "peers/mpi_world.hpp"

namespace bench {

// put_notify.cpp: a payload and then a flag, answered by the same; one way. With MPI_Put, with plain stores, and as a
// message.
void measure_put_notify(MpiWorld& world, const Arguments& arguments);

// one_sided.cpp: MPI_Put and MPI_Get while the target computes nothing and calls nothing but a barrier.
void measure_put(MpiWorld& world, const Arguments& arguments);
void measure_get(MpiWorld& world, const Arguments& arguments);
void measure_bandwidth(MpiWorld& world, const Arguments& arguments);

// atomics.cpp
void measure_fetch_add(MpiWorld& world, const Arguments& arguments);
void measure_accumulate(MpiWorld& world, const Arguments& arguments);

// together.cpp: what all ranks do together.
void measure_barrier(MpiWorld& world, const Arguments& arguments);
void measure_step(MpiWorld& world, const Arguments& arguments);  // 100 us of work, then a barrier
void measure_ring(MpiWorld& world, const Arguments& arguments);
void measure_fan_in(MpiWorld& world, const Arguments& arguments);
void measure_allreduce(MpiWorld& world, const Arguments& arguments);

// Nothing at all: for the time from start to end.
void measure_empty(MpiWorld& world, const Arguments& arguments);

}  // namespace bench
