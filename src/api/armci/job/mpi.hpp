// What the door asks of MPI, without MPI's types: one library is built per MPI, and only the folder mpi/ knows which.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace polder::armci {

// The MPI program that this rank is part of. Every function is called by the thread that initialised MPI, abort() by
// any. Nothing here is seen by the program: it has communicators of its own.
class Mpi {
 public:
  virtual ~Mpi() = default;

  virtual Rank rank() const = 0;
  virtual Rank size() const = 0;

  // Collective. `all` receives the `mine` of each rank, in order.
  virtual Status allgather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;

  // Lets MPI go on with what the program posted. A rank that waits in Polder calls this now and then, for its peer may
  // wait in MPI for a message that this rank has begun to send.
  virtual void progress() = 0;

  virtual Status send(int tag, std::span<const std::byte> message, Rank to) = 0;

  struct Received {
    Rank source = 0;
    std::size_t bytes = 0;
  };
  // From anybody if `from` is empty. invalid_size: the message is longer than `room`.
  virtual Result<Received> receive(int tag, std::span<std::byte> room, std::optional<Rank> from) = 0;

  // Collective: gives up the communicators, and ends MPI if join_mpi() initialised it. Nothing is called afterwards.
  virtual void end() = 0;

  // Ends the job with this code.
  [[noreturn]] virtual void abort(int code) = 0;
};

// How MPI is initialised if the program has not done it, and whose ranks take part.
struct MpiStart {
  int* argc = nullptr;
  char*** argv = nullptr;
  std::optional<int> thread_level = {};
  const void* communicator = nullptr;  // an MPI_Comm; null: MPI_COMM_WORLD
};

// Collective. Implemented once per MPI.
Result<std::unique_ptr<Mpi>> join_mpi(const MpiStart& start);

}  // namespace polder::armci
