// Who carries blocks between the members of a row or a column of ranks: Polder here, MPI in bench/peers/fft_mpi.
#pragma once

#include "common/crew.hpp"

#include <polder/collective.hpp>

#include <complex>
#include <span>

namespace fft {

using apps::Code;
using apps::Result;
using apps::Status;
using Complex = std::complex<double>;

// One thread at a time; all members start the same pieces in the same order.
class Exchange {
 public:
  static constexpr unsigned kSlots = 4;  // pieces that may be under way

  virtual ~Exchange() = default;

  virtual unsigned size() const = 0;
  virtual unsigned index() const = 0;  // of this rank

  // An alltoallv of bytes is on its way when this returns: sent[c] of `send` goes to member c, received[c] comes from it.
  // The buffers stay untouched until finish(slot). REQUIRES: the slot is free.
  virtual Status start(unsigned slot, const Complex* send, std::span<const polder::Part> sent, Complex* receive,
                       std::span<const polder::Part> received) = 0;
  // Lets what is under way go on.
  virtual void progress() = 0;
  // Until the slot's piece has come.
  virtual Status finish(unsigned slot) = 0;
};

}  // namespace fft
