// MPI_COMM_WORLD as the World of sampling.hpp.
#pragma once

#include <cstdint>
#include <cstdio>

#include <mpi.h>

namespace bench {

// Initialises MPI for its lifetime. MPI's own error handler ends the job when a call fails, so no call here is checked.
class MpiWorld {
 public:
  // `threads`: many threads will call MPI at once, which costs the others of its calls something.
  MpiWorld(int* argc, char*** argv, bool threads) {
    const int wanted = threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int given = wanted;
    MPI_Init_thread(argc, argv, wanted, &given);
    if (given < wanted) {
      std::fprintf(stderr, "this MPI does not let many threads call it\n");
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiWorld() { MPI_Finalize(); }
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  void barrier() { MPI_Barrier(MPI_COMM_WORLD); }
  std::uint64_t from_zero(std::uint64_t value) {
    MPI_Bcast(&value, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return value;
  }
  std::uint64_t largest(std::uint64_t value) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return value;
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace bench
