// The MPI program that this process belongs to. Compiled once per MPI, like everything in this folder.
#pragma once

#include "api/armci/job/mpi.hpp"

#include <mpi.h>

namespace polder::armci {

class Program final : public Mpi {
 public:
  // `begun`: MPI was initialised for ARMCI's sake.
  Program(MPI_Comm shown, MPI_Comm own, bool begun);

  Rank rank() const override { return rank_; }
  Rank size() const override { return size_; }
  Status allgather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void progress() override;
  Status send(int tag, std::span<const std::byte> message, Rank to) override;
  Result<Received> receive(int tag, std::span<std::byte> room, std::optional<Rank> from) override;
  void end() override;
  [[noreturn]] void abort(int code) override;

  // Of all ranks, for the program to use.
  MPI_Comm communicator() const { return shown_; }

 private:
  MPI_Comm shown_;
  MPI_Comm own_;
  const bool begun_;
  Rank rank_ = 0;
  Rank size_ = 1;
};

// Success, or Code::system with what MPI says about `error`.
Status checked(int error, const char* operation);

}  // namespace polder::armci
