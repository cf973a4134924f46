// What this machine can do at best: the numbers that Polder's are held against. One function per measurement, each in
// the file of its name; they print with report() and end the program if the machine refuses something.
#pragma once

#include "common/arguments.hpp"

#include <vector>

namespace bench {

// What all of them know.
struct Machine {
  std::vector<int> cores;  // that the program may use
};

// One cache line travels to another core: two processes answer each other through two lines. One way.
void measure_handover(Machine& machine, const Arguments& arguments);

// Everybody adds to one shared word. Per operation of each process.
void measure_fetch_add(Machine& machine, const Arguments& arguments);

// 8 bytes stored into a shared page that the owner does not look at.
void measure_store(Machine& machine, const Arguments& arguments);

// memcpy between pages of memory files, from 64 kB to 256 MB.
void measure_memcpy(Machine& machine, const Arguments& arguments);

// 64 kB that one core writes and another reads, both ways at once: through the cache, and past it. Written, and read.
void measure_outward(Machine& machine, const Arguments& arguments);

// y += a * x over doubles in pages of memory files; `size` is that of x.
void measure_stream(Machine& machine, const Arguments& arguments);

// One way from a process to another that sleeps on a futex: on the same core, and on another one.
void measure_futex(Machine& machine, const Arguments& arguments);

// A process hands its core to another one on the same core by sched_yield. One way.
void measure_yield(Machine& machine, const Arguments& arguments);

// A barrier of processes that outnumber the cores by far, each pinned: a counter, a release, and sched_yield.
void measure_turns(Machine& machine, const Arguments& arguments);

// Computes without end on core --cpu, until its parent ends or it is killed: a stranger's busy job.
void run_hog(Machine& machine, const Arguments& arguments);

}  // namespace bench
