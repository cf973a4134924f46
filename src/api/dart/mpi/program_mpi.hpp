// The MPI that the program has brought, whichever it is: found by name, as this library is built for none.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <functional>
#include <span>

namespace polder::dart {

// Handles of MPI: pointers in Open MPI, numbers of 4 bytes in MPICH, which travel in the same registers.
using MpiHandle = std::intptr_t;

// The level of threads that the program asked its MPI for; 3, all that there is, if it has started none.
int mpi_thread_level();

// Collective over `ranks` of MPI_COMM_WORLD: calls `use` with a communicator of them, which is freed afterwards, and with MPI_INFO_NULL.
// unsupported: the program has not started MPI. invalid_rank: it has not as many ranks.
Status with_mpi_communicator(std::span<const Rank> ranks, const std::function<Status(MpiHandle, MpiHandle)>& use);

}  // namespace polder::dart
