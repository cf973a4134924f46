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
void measure_stream(MpiWorld& world, const Arguments& arguments);

// rate.cpp: MPI_Put of 8 bytes per second, from 1 and 4 threads. Not the same as Polder's: no flag comes with it.
void measure_rate(MpiWorld& world, const Arguments& arguments);

// busy_target.cpp: MPI_Get and MPI_Accumulate while rank 1 waits, and while it computes.
void measure_busy_target(MpiWorld& world, const Arguments& arguments);

// patches.cpp: MPI_Put, MPI_Get and MPI_Accumulate with a vector datatype; flushes of many windows.
void measure_patches(MpiWorld& world, const Arguments& arguments);
void measure_fences(MpiWorld& world, const Arguments& arguments);

// atomics.cpp
void measure_fetch_add(MpiWorld& world, const Arguments& arguments);
void measure_accumulate(MpiWorld& world, const Arguments& arguments);

// together.cpp: what all ranks do together.
void measure_barrier(MpiWorld& world, const Arguments& arguments);
void measure_step(MpiWorld& world, const Arguments& arguments);  // 100 us of work, then a barrier
void measure_ring(MpiWorld& world, const Arguments& arguments);
void measure_fan_in(MpiWorld& world, const Arguments& arguments);
void measure_allreduce(MpiWorld& world, const Arguments& arguments);

// collectives.cpp: all kinds, of any length.
void measure_collectives(MpiWorld& world, const Arguments& arguments);

// collectives.cpp: alltoall of any number of bytes for each pair.
void measure_alltoall(MpiWorld& world, const Arguments& arguments);

// containers.cpp: what bench/containers measures.
void measure_containers(MpiWorld& world, const Arguments& arguments);

// Nothing at all: for the time from start to end.
void measure_empty(MpiWorld& world, const Arguments& arguments);

}  // namespace bench
