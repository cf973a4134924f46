#include "device/tcp/handshake.hpp"

#include "util/random.hpp"

namespace polder::device::tcp {
namespace {

using wire::ConnectionEnd;
using wire::ConnectionProof;
using wire::prove;

constexpr std::uint64_t kOfAnswers = 0x616e73776572;

std::uint64_t answer_key(std::uint64_t secret) {
  return util::mix(secret ^ kOfAnswers);
}

bool is_same(const ConnectionProof& one, const std::optional<ConnectionProof>& other) {
  return other && one.magic == other->magic && one.seal == other->seal;
}

}  // namespace

std::optional<ConnectionCall> make_call(int socket, std::uint64_t secret, const RankAddresses& own,
                                        const RankAddresses& peer) {
  const auto proof = prove(socket, secret, ConnectionEnd::caller);
  if (!proof) return {};
  return ConnectionCall{*proof, own, peer};
}

std::optional<ConnectionAnswer> make_answer(int socket, std::uint64_t secret) {
  const auto proof = prove(socket, answer_key(secret), ConnectionEnd::called);
  if (!proof) return {};
  return ConnectionAnswer{*proof};
}

CallVerdict check_call(const ConnectionCall& call, int socket, std::uint64_t secret, const RankAddresses& own) {
  if (!is_same(call.proof, prove(socket, secret, ConnectionEnd::called)) || !read_addresses(call.caller.bytes()))
    return CallVerdict::stranger;
  return call.called == own ? CallVerdict::right : CallVerdict::mistaken;
}

bool is_right_answer(const ConnectionAnswer& answer, int socket, std::uint64_t secret) {
  return is_same(answer.proof, prove(socket, answer_key(secret), ConnectionEnd::caller));
}

}  // namespace polder::device::tcp
