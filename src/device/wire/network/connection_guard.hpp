// Keeps strangers away from a library that trusts what comes over TCP.
//
// UCX 1.13 and libfabric 1.17 believe what they hear on their ports: a connection whose first bytes are those of an
// older job, or what a fuzzer makes of them, can end the process. And they neither let their user look at a connection
// first nor hand their sockets out. So their calls of the socket functions are led through here: the rank that connects
// says a proof that it knows the job's secret before the library says its first word, and the rank that accepts drops a
// connection that does not begin with such a proof, before the library hears of it. The proof names both ends of the
// connection, so that nobody else can repeat it. It costs no round trip, and nothing once a connection is made.
//
// Sockets of others who use the library in the same process, an MPI for example, are left alone: only what it does on
// behalf of a transport, inside a ConnectionGuard::Passage, is led through that transport's guard.
#pragma once

#include <polder/status.hpp>

#include <cstdint>
#include <string>

namespace polder::device::wire {

class ConnectionGuard {
 public:
  // `inside`: an address in the library that makes the sockets. The first guard leads its calls through here.
  ConnectionGuard(std::uint64_t secret, const void* inside) : secret_(secret), works_(install(inside)) {}
  // The library must have closed its listeners; see keep().
  ~ConnectionGuard();
  ConnectionGuard(const ConnectionGuard&) = delete;
  ConnectionGuard& operator=(const ConnectionGuard&) = delete;

  // The listeners stay behind, and guarded, until the process ends.
  void keep() { kept_ = true; }

  // While it lives, sockets that are made in this thread are this guard's.
  class Passage {
   public:
    explicit Passage(const ConnectionGuard& guard);
    ~Passage();
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

   private:
    const ConnectionGuard* const outer_;
  };

  std::uint64_t secret() const { return secret_; }
  // False: the calls of this library cannot be led, and nothing is guarded.
  bool works() const { return works_; }

  // The library has just looked for a port in this thread, and all that it may use were in use. Tells it once.
  static bool found_no_port();

  // Whether a device may listen, with a guard or without one where the user allows that; else system. `device` and
  // `option` (that allows it) are for the message.
  static Status admit(bool works, bool unguarded, const std::string& device, const std::string& option);

 private:
  static bool install(const void* inside);

  const std::uint64_t secret_;
  const bool works_;
  bool kept_ = false;
};

}  // namespace polder::device::wire
