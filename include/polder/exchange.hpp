// For programs whose ranks were started by somebody else and can talk to each other already, over MPI say: they lend
// the runtime that means for its start.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <functional>
#include <span>

namespace polder {

// Ranks 0 .. size-1 of the job that is to be, and an allgather over them. Over MPI:
//
//   auto runtime = polder::Runtime::create({}, {.rank = me, .size = n, .allgather = [](auto mine, auto all) {
//     const int bytes = int(mine.size());
//     const int error = MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
//     return error == MPI_SUCCESS ? polder::Status() : polder::Status(polder::Code::system, "MPI_Allgather failed");
//   }});
struct Exchange {
  Rank rank = 0;
  Rank size = 1;
  // Fills `all` with what the ranks have in `mine`, that of rank 0 first; all.size() == size * mine.size(), the same
  // at all ranks. Called a few times, only by the thread that is inside Runtime::create(), only while it is. An error
  // ends create() with it.
  std::function<Status(std::span<const std::byte> mine, std::span<std::byte> all)> allgather;
};

}  // namespace polder
