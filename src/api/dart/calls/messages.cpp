// Messages between two units.
#include "api/dart/job/epoch.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/job/traced.hpp"
#include "api/dart/symbols.hpp"
#include "api/dart/transfer/datatype.hpp"

#include <cstring>
#include <limits>
#include <span>
#include <string>

using namespace polder;
using namespace polder::dart;

namespace {

// One end of a message.
struct MessageEnd {
  std::size_t elements;
  dart_datatype_t type;
  int tag;
  dart_unit_t unit;
};

Result<std::size_t> checked_bytes(const DartEpoch& epoch, const MessageEnd& end) {
  if (!epoch.all().has(end.unit)) return no_such_unit(end.unit, DART_TEAM_ALL);
  const auto element = contiguous_size(end.type);
  if (!element) return wrong_type(end.type, "basic or custom");
  if (end.elements > std::numeric_limits<std::size_t>::max() / *element)
    return Status(Code::invalid_size, std::to_string(end.elements) + " elements");
  return end.elements * *element;
}

Status send(DartEpoch& epoch, const void* buffer, const MessageEnd& to) {
  const auto bytes = checked_bytes(epoch, to);
  if (!bytes.ok()) return bytes.status();
  if (buffer == nullptr && *bytes > 0) return null_argument("sendbuf");
  return epoch.unit().mailbox.send(Rank(to.unit), to.tag, {static_cast<const std::byte*>(buffer), *bytes});
}

Status receive(DartEpoch& epoch, void* buffer, const MessageEnd& from) {
  const auto bytes = checked_bytes(epoch, from);
  if (!bytes.ok()) return bytes.status();
  if (buffer == nullptr && *bytes > 0) return null_argument("recvbuf");
  const auto message = epoch.unit().mailbox.receive(Rank(from.unit), from.tag, *bytes);
  if (!message.ok()) return message.status();
  if (buffer != nullptr && !message->empty()) std::memcpy(buffer, message->data(), message->size());
  return {};
}

template <class Body>
dart_ret_t carry_out(const char* name, TracedDartCall& traced, dart_unit_t peer, Body body) {
  if (traced.active()) traced.set_peer(Rank(peer));
  return guarded(name, [&] {
    DartEpoch* const epoch = current_epoch();
    if (epoch == nullptr) return refused_outside(name);
    return outcome(name, body(*epoch));
  });
}

}  // namespace

extern "C" {

dart_ret_t dart_send(const void* sendbuf, size_t nelem, dart_datatype_t dtype, int tag, dart_global_unit_t unit) {
  TracedDartCall traced(DartCall::send);
  return carry_out("dart_send", traced, unit.id, [&](DartEpoch& epoch) {
    return send(epoch, sendbuf, {nelem, dtype, tag, unit.id});
  });
}

dart_ret_t dart_recv(void* recvbuf, size_t nelem, dart_datatype_t dtype, int tag, dart_global_unit_t unit) {
  TracedDartCall traced(DartCall::recv);
  return carry_out("dart_recv", traced, unit.id, [&](DartEpoch& epoch) {
    return receive(epoch, recvbuf, {nelem, dtype, tag, unit.id});
  });
}

// A send waits only for room, which the target's receiving of letters makes: both cannot block each other.
dart_ret_t dart_sendrecv(const void* sendbuf, size_t send_nelem, dart_datatype_t send_dtype, int send_tag,
                         dart_global_unit_t dest, void* recvbuf, size_t recv_nelem, dart_datatype_t recv_dtype,
                         int recv_tag, dart_global_unit_t src) {
  TracedDartCall traced(DartCall::sendrecv);
  return carry_out("dart_sendrecv", traced, dest.id, [&](DartEpoch& epoch) {
    const MessageEnd from{recv_nelem, recv_dtype, recv_tag, src.id};
    if (const auto bytes = checked_bytes(epoch, from); !bytes.ok()) return bytes.status();
    Status status = send(epoch, sendbuf, {send_nelem, send_dtype, send_tag, dest.id});
    return status.ok() ? receive(epoch, recvbuf, from) : status;
  });
}

}  // extern "C"
