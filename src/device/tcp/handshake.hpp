// What both ends of a connection say before the first packet: each proves that it knows the job's secret, and the one that calls says
// its own addresses and those of the rank that it means. Until both have been heard nothing of a packet is sent or read, so strangers get no further than this.
// At last the caller says that it has heard the answer. Until then it may give the connection up for another address, so the other end
// does not send by it.
#pragma once

#include "device/tcp/addresses.hpp"
#include "device/wire/network/connection_proof.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace polder::device::tcp {

// First, from the end that calls.
struct ConnectionCall {
  wire::ConnectionProof proof;
  RankAddresses caller, called;
};
static_assert(sizeof(ConnectionCall) ==
              sizeof(wire::ConnectionProof) + 2 * sizeof(RankAddresses));  // no padding: it travels

// Then from the one that is called: of another key, so that it cannot be the call sent back.
struct ConnectionAnswer {
  wire::ConnectionProof proof;
};

// And from the caller, before its first packet. It proves nothing more: it comes over a connection whose caller has proved itself.
struct ConnectionConfirmation {
  static constexpr std::uint64_t kHeard = 0x64726165682d6c70;  // "pl-heard"

  std::uint64_t word = kHeard;
};

// Nothing: the connection is gone.
std::optional<ConnectionCall> make_call(int socket, std::uint64_t secret, const RankAddresses& own,
                                        const RankAddresses& peer);
std::optional<ConnectionAnswer> make_answer(int socket, std::uint64_t secret);

enum class CallVerdict { right, stranger, mistaken };
// mistaken: it is one of the job, but means another rank, whose network has the same addresses.
CallVerdict check_call(const ConnectionCall& call, int socket, std::uint64_t secret, const RankAddresses& own);
bool is_right_answer(const ConnectionAnswer& answer, int socket, std::uint64_t secret);

}  // namespace polder::device::tcp
