// What a rank that connects says before the first word of its library, so that whoever accepts knows it for one of this job: a
// hash of both ends of the connection under the job's secret. So nobody who hears a proof can repeat it on another connection.
// The hash is SipHash (siphash.hpp): without the secret a proof cannot be foretold.
#pragma once

#include <cstdint>
#include <optional>

namespace polder::device::wire {

// As it travels, in the order of bytes of the machine: ranks of a job are of one kind.
struct ConnectionProof {
  static constexpr std::uint64_t kMagic = 0x706f6c6465720302;  // the last byte counts versions

  std::uint64_t magic = kMagic;
  std::uint64_t seal = 0;
};
static_assert(sizeof(ConnectionProof) == 16);

enum class ConnectionEnd { caller, called };

// For the TCP connection of which `socket` is this end, over IPv4 or IPv6. Nothing: it is none, or no longer.
std::optional<ConnectionProof> prove(int socket, std::uint64_t secret, ConnectionEnd end);

enum class ProofFound { right, none, wrong };

// Takes the first bytes of a connection that this end was called on, as many as a proof has, and does not wait for them: whoever
// connects sends a proof in one piece, with its first word. `none`: nothing is there, or the caller has hung up.
ProofFound find_proof(int socket, std::uint64_t secret);

}  // namespace polder::device::wire
