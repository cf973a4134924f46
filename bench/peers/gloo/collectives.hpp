// Collectives of Gloo, under the names of bench/micro where they mean the same.
#pragma once

#include "common/arguments.hpp"

#include <cstddef>
#include <vector>

namespace bench {

// Barrier, broadcast, reduce, allreduce, allgather, alltoall, gather and scatter, for each number of processes. Gloo has no scans, no
// exchange among neighbours, and no reduce_scatter that leaves its source as it is.
void measure_collectives(const std::vector<std::size_t>& processes, const Arguments& arguments);

}  // namespace bench
