#include "shmem/shmem_world.hpp"

#include <algorithm>
#include <cstdio>

namespace bench {

ShmemWorld::ShmemWorld() {
  shmem_init();
  rank_ = shmem_my_pe();
  size_ = shmem_n_pes();
  board_ = static_cast<std::uint64_t*>(shmem_malloc(std::size_t(size_) * sizeof(std::uint64_t)));
}

// shmem_finalize of Open MPI 4.1 crashes where the library was used from C++ programs as root; the job is over anyhow.
ShmemWorld::~ShmemWorld() {
  std::fflush(stdout);
  shmem_barrier_all();
  shmem_global_exit(0);
}

void ShmemWorld::show(std::uint64_t value) {
  shmem_barrier_all();
  for (int rank = 0; rank < size_; ++rank) shmem_putmem(&board_[rank_], &value, sizeof value, rank);
  shmem_barrier_all();
}

std::uint64_t ShmemWorld::from_zero(std::uint64_t value) {
  show(value);
  return board_[0];
}

std::uint64_t ShmemWorld::largest(std::uint64_t value) {
  show(value);
  return *std::max_element(board_, board_ + size_);
}

}  // namespace bench
