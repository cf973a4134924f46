// Polder's own measurements. One function each, in the file of its subject; rank 0 prints. Those that say "2 ranks" let
// further ranks keep company in the barriers.
#pragma once

#include "common/arguments.hpp"
#include "common/report.hpp"
#include "micro/polder_world.hpp"

namespace bench {

// put_notify.cpp
void measure_put_notify(PolderWorld& world, const Arguments& arguments);  // ping-pong of 2 ranks, one way
void measure_rate(PolderWorld& world, const Arguments& arguments);  // 8-byte put_notify from 1 and 4 threads; 2 ranks

// one_sided.cpp
void measure_put(PolderWorld& world, const Arguments& arguments);        // small; 2 ranks
void measure_get(PolderWorld& world, const Arguments& arguments);        // small; 2 ranks
void measure_bandwidth(PolderWorld& world, const Arguments& arguments);  // 64 kB to 256 MB, and memcpy beside; 2 ranks
void measure_stream(PolderWorld& world, const Arguments& arguments);     // the same sizes, many under way; 2 ranks

// busy_target.cpp: get and accumulate while rank 1 waits, and while it computes; 2 ranks
void measure_busy_target(PolderWorld& world, const Arguments& arguments);

// patches.cpp
void measure_patches(PolderWorld& world, const Arguments& arguments);  // strided put, get, axpy; 2 ranks
void measure_fences(PolderWorld& world, const Arguments& arguments);   // with nothing under way; size: live allocations

// ordering.cpp: get after put, in each order, also over a simulated network; 2 ranks
void measure_ordering(PolderWorld& world, const Arguments& arguments);

// mutexes.cpp
void measure_mutex(PolderWorld& world, const Arguments& arguments);

// atomics.cpp
void measure_fetch_add(PolderWorld& world,
                       const Arguments& arguments);  // on one word of the last rank, by all, by one, and posted by one
void measure_accumulate(PolderWorld& world, const Arguments& arguments);  // sum and axpy of doubles; 2 ranks

// together.cpp: what all ranks do together
void measure_barrier(PolderWorld& world, const Arguments& arguments);
void measure_one_core(PolderWorld& world,
                      const Arguments& arguments);  // barriers of ranks that a scheduler put on one core
void measure_step(PolderWorld& world, const Arguments& arguments);    // 100 us of work, then a barrier
void measure_ring(PolderWorld& world, const Arguments& arguments);    // a notification once round all ranks
void measure_fan_in(PolderWorld& world, const Arguments& arguments);  // everybody notifies rank 0, which answers
void measure_allreduce(PolderWorld& world, const Arguments& arguments);

// collectives.cpp: all kinds, of any length, in private memory and in segments.
void measure_collectives(PolderWorld& world, const Arguments& arguments);
// collectives.cpp: a block for each pair.
void measure_alltoall(PolderWorld& world, const Arguments& arguments);

// eventual.cpp: broadcast and reduce with a share of the data, or of the members; all ranks, time of the root.
void measure_eventual(PolderWorld& world, const Arguments& arguments);

// forms.cpp: an allreduce blocking, persistent and made anew; what of it is seen beside a pause, and beside work.
void measure_forms(PolderWorld& world, const Arguments& arguments);

// stale.cpp: allreduce_ssp with slack 0 in each shape beside the consistent allreduce.
void measure_stale(PolderWorld& world, const Arguments& arguments);

// Nothing at all: for the time from start to end.
void measure_empty(PolderWorld& world, const Arguments& arguments);

}  // namespace bench
