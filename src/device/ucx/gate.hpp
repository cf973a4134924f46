// Keeps strangers away from UCX.
//
// UCX 1.13 trusts what comes over TCP: a connection whose first bytes are those of an older job, or what a fuzzer makes
// of them, ends the process. And it neither lets its user look at a connection first nor hands its sockets out. So its
// calls of the socket functions are led through here: who connects says a proof that it knows the job's secret before
// UCX says its first word, and who accepts drops a connection that does not begin with such a proof, before UCX hears
// of it. The proof names both ends of the connection, so that nobody else can repeat it. It costs no round trip, and
// nothing once a connection is made.
//
// Sockets of others who use UCX in the same process, an MPI for example, are left alone: only what UCX does on behalf
// of a transport, inside a Gate::Passage, is led through that transport's gate.
#pragma once

#include "device/ucx/hunch.hpp"

#include <polder/status.hpp>

#include <cstdint>

namespace polder::device::ucx {

class Gate {
 public:
  // The first one leads the calls of UCX through here.
  explicit Gate(std::uint64_t secret) : secret_(secret), works_(install()) {}
  // UCX must have closed its listeners; see keep().
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // The listeners stay behind, and guarded, until the process ends.
  void keep() { kept_ = true; }

  // While it lives, sockets that UCX makes in this thread are this gate's.
  class Passage {
   public:
    explicit Passage(const Gate& gate);
    ~Passage();
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

   private:
    const Gate* const outer_;
  };

  std::uint64_t secret() const { return secret_; }
  // Of the transport behind the gate: its calls lead through here as well.
  Hunch& hunch() const { return hunch_; }
  // False: the calls of this UCX cannot be led, and there is no gate.
  bool works() const { return works_; }
  // Whether UCX may listen, with a gate or without one where the user allows that; else system.
  static Status admit(bool works, bool unguarded);

 private:
  static bool install();

  const std::uint64_t secret_;
  const bool works_;
  bool kept_ = false;
  mutable Hunch hunch_;
};

}  // namespace polder::device::ucx
