// Who carries rows between the members of a row or a column of ranks, straight to where they belong: Polder here, MPI in
// bench/peers/fft_mpi.
#pragma once

#include "common/crew.hpp"
#include "route.hpp"

#include <cstdint>

namespace fft {

using apps::Code;
using apps::Result;
using apps::Status;

// One thread at a time. In each round all members call open(), put() the rows of a piece, send() it, and so on with all pieces in
// ascending order; await() may come in between.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual unsigned size() const = 0;
  virtual unsigned index() const = 0;  // of this rank

  // Collective, once: this rank's memory, of as much room as the route says, aligned to lines of the cache, zeroed. Good as
  // long as the exchange.
  virtual Result<Complex*> prepare(const Route& route) = 0;

  // Known once it is prepared.
  virtual bool takes_at_once() const = 0;

  // A round begins: the others may write into this rank's memory.
  virtual Status open() = 0;
  // What belongs to `member`, this rank among them, of a plane of the next piece. The plane stays as it is until close(), or, where
  // takes_at_once(), until this returns.
  virtual Status put(unsigned member, const Complex* plane, const Rows& rows) = 0;
  // All of the piece has been put: it is on its way when this returns.
  virtual Status send(unsigned piece) = 0;
  // Whether a piece of all members has come, as far as that is known without waiting. One piece after the other.
  virtual Result<bool> has_come(unsigned piece) = 0;
  // Until it has.
  virtual Status await(unsigned piece) = 0;
  // The round is over: what was put may be changed.
  virtual Status close() = 0;
};

}  // namespace fft
