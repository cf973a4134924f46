// A program of ARMCI as the World of sampling.hpp, and memory of all ranks.
#pragma once

// Not every ARMCI says so itself; MPI, which knows of C++, goes first.
#include <mpi.h>
extern "C" {
#include <armci.h>
}

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

// MPI and ARMCI end the job when a call fails, so no call here is checked.
class ArmciWorld {
 public:
  ArmciWorld(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~ArmciWorld() {
    ARMCI_Finalize();
    MPI_Finalize();
  }
  ArmciWorld(const ArmciWorld&) = delete;
  ArmciWorld& operator=(const ArmciWorld&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  // As programs of ARMCI wait, not inside MPI.
  void barrier() { ARMCI_Barrier(); }
  std::uint64_t from_zero(std::uint64_t value) {
    barrier();
    MPI_Bcast(&value, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return value;
  }
  std::uint64_t largest(std::uint64_t value) {
    barrier();
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return value;
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

// The same number of bytes at each rank, zeroed.
class SharedMemory {
 public:
  SharedMemory(ArmciWorld& world, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void* at(int rank) const { return parts_[std::size_t(rank)]; }

 private:
  ArmciWorld& world_;
  std::vector<void*> parts_;
};

}  // namespace bench
