// A program of OpenSHMEM as the World of sampling.hpp.
#pragma once

#include <cstdint>

#include <shmem.h>

namespace bench {

// OpenSHMEM ends the job when a call fails, so no call here is checked.
class ShmemWorld {
 public:
  ShmemWorld();
  ~ShmemWorld();
  ShmemWorld(const ShmemWorld&) = delete;
  ShmemWorld& operator=(const ShmemWorld&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  void barrier() { shmem_barrier_all(); }
  std::uint64_t from_zero(std::uint64_t value);
  std::uint64_t largest(std::uint64_t value);

 private:
  void show(std::uint64_t value);

  int rank_ = 0;
  int size_ = 1;
  std::uint64_t* board_ = nullptr;  // a word of each rank, at every rank
};

}  // namespace bench
