// armci_msg: who is who, the clock, and messages from rank to rank, which MPI carries.
#include "api/armci/job/context.hpp"
#include "api/armci/job/error.hpp"
#include "api/armci/job/traced.hpp"
#include "api/armci/symbols.hpp"

#include <chrono>
#include <string>

using namespace polder;
using namespace polder::armci;

namespace {

Status check(const Context& context, const void* buffer, int bytes, int rank) {
  if (rank < 0 || Rank(rank) >= context.size())
    return {Code::invalid_rank,
            "there is no rank " + std::to_string(rank) + " among " + std::to_string(context.size())};
  if (bytes < 0) return {Code::invalid_size, std::to_string(bytes) + " bytes"};
  if (buffer == nullptr && bytes > 0) return {Code::invalid_argument, "the buffer is NULL"};
  return {};
}

std::span<std::byte> room(void* buffer, int bytes) {
  return {static_cast<std::byte*>(buffer), std::size_t(bytes)};
}

// The sender; -1 after an error that does not end the program.
int receive(const char* call, int tag, std::span<std::byte> into, std::optional<Rank> from, int* length) {
  const auto received = current()->mpi().receive(tag, into, from);
  if (!received.ok()) {
    failed(call, received.status());
    return -1;
  }
  if (length != nullptr) *length = int(received->bytes);
  return int(received->source);
}

}  // namespace

extern "C" {

int parmci_msg_me(void) {
  const Context* const context = current();
  return context != nullptr ? int(context->rank()) : -failed_outside("armci_msg_me");
}
[[gnu::weak, gnu::alias("parmci_msg_me")]] decltype(parmci_msg_me) armci_msg_me;

int parmci_msg_nproc(void) {
  const Context* const context = current();
  return context != nullptr ? int(context->size()) : -failed_outside("armci_msg_nproc");
}
[[gnu::weak, gnu::alias("parmci_msg_nproc")]] decltype(parmci_msg_nproc) armci_msg_nproc;

double parmci_timer(void) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
[[gnu::weak, gnu::alias("parmci_timer")]] decltype(parmci_timer) armci_timer;

void parmci_msg_snd(int tag, void* buffer, int len, int to) {
  const TracedArmciCall traced(ArmciCall::msg_snd, {.peer = door_rank(to), .bytes = door_bytes(len)});
  const Context* const context = current();
  if (context == nullptr) {
    failed_outside("armci_msg_snd");
    return;
  }
  Status status = check(*context, buffer, len, to);
  if (status.ok()) status = context->mpi().send(tag, room(buffer, len), Rank(to));
  (void)outcome("armci_msg_snd", status);
}
[[gnu::weak, gnu::alias("parmci_msg_snd")]] decltype(parmci_msg_snd) armci_msg_snd;

void parmci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from) {
  const TracedArmciCall traced(ArmciCall::msg_rcv, {.peer = door_rank(from), .bytes = door_bytes(buflen)});
  const Context* const context = current();
  if (context == nullptr)
    failed_outside("armci_msg_rcv");
  else if (Status status = check(*context, buffer, buflen, from); !status.ok())
    failed("armci_msg_rcv", status);
  else
    receive("armci_msg_rcv", tag, room(buffer, buflen), Rank(from), msglen);
}
[[gnu::weak, gnu::alias("parmci_msg_rcv")]] decltype(parmci_msg_rcv) armci_msg_rcv;

int parmci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen) {
  const TracedArmciCall traced(ArmciCall::msg_rcvany, {.bytes = door_bytes(buflen)});
  const Context* const context = current();
  if (context == nullptr) return -failed_outside("armci_msg_rcvany");
  if (Status status = check(*context, buffer, buflen, 0); !status.ok()) return -failed("armci_msg_rcvany", status);
  return receive("armci_msg_rcvany", tag, room(buffer, buflen), std::nullopt, msglen);
}
[[gnu::weak, gnu::alias("parmci_msg_rcvany")]] decltype(parmci_msg_rcvany) armci_msg_rcvany;

}  // extern "C"
