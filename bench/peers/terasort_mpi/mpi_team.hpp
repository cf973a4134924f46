// The ranks of an MPI job. MPI ends the whole job when a call fails, so its calls need no checking here.
#pragma once

#include "team.hpp"

#include <mpi.h>

namespace terasort {

// MPI is initialised from construction to destruction.
class MpiTeam final : public Team {
 public:
  MpiTeam(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiTeam() override { MPI_Finalize(); }
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  unsigned rank() const override { return unsigned(rank_); }
  unsigned size() const override { return unsigned(size_); }

  Status allgather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    MPI_Allgather(mine.data(), int(mine.size()), MPI_BYTE, all.data(), int(mine.size()), MPI_BYTE, MPI_COMM_WORLD);
    return {};
  }
  Status gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    MPI_Gather(mine.data(), int(mine.size()), MPI_BYTE, all.data(), int(mine.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
    return {};
  }
  Status broadcast(std::span<std::byte> data) override {
    MPI_Bcast(data.data(), int(data.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
    return {};
  }
  Result<std::uint64_t> maximum(std::uint64_t mine) override {
    std::uint64_t largest = 0;
    MPI_Allreduce(&mine, &largest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return largest;
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace terasort
