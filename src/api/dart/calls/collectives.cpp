// Collectives of a team, over contiguous types.
#include "api/dart/collective/user_operation.hpp"
#include "api/dart/job/epoch.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/job/traced.hpp"
#include "api/dart/symbols.hpp"
#include "api/dart/transfer/datatype.hpp"

#include <polder/collective.hpp>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace polder;
using namespace polder::dart;

namespace {

// `body(team)` for the team of this number.
template <class Body>
dart_ret_t in_team(const char* call, dart_team_t id, Body body) {
  return guarded(call, [&] {
    const DartEpoch* const epoch = current_epoch();
    if (epoch == nullptr) return refused_outside(call);
    DartTeam* const team = epoch->team(id);
    if (team == nullptr) return refused(call, no_such_team(id));
    return outcome(call, body(*team));
  });
}

// Of so many contiguous elements for each member of the team.
Result<std::size_t> block_bytes(const DartTeam& team, std::size_t elements, dart_datatype_t type) {
  const auto element = contiguous_size(type);
  if (!element) return wrong_type(type, "basic or custom");
  if (elements > std::numeric_limits<std::size_t>::max() / *element / team.group().size())
    return Status(Code::invalid_size, std::to_string(elements) + " elements of " + std::to_string(*element) + " bytes");
  return elements * *element;
}

// What a call with a root and `bytes` for each needs; an error if the root is no member.
Result<std::size_t> rooted_bytes(const DartTeam& team, std::size_t elements, dart_datatype_t type,
                                 dart_team_unit_t root) {
  if (!team.has(root.id)) return no_such_unit(root.id, team.id());
  return block_bytes(team, elements, type);
}

bool in_place(const void* send, const void* receive) {
  return send == nullptr || send == receive;
}

// A copy of this member's part, since the library takes its own part from elsewhere, or from all of the same buffer.
std::vector<std::byte> own_part(const void* buffer, std::size_t offset, std::size_t bytes) {
  if (bytes == 0) return {};
  const auto* const first = static_cast<const std::byte*>(buffer) + offset;
  return {first, first + bytes};
}

Status allgatherv(DartTeam& team, const void* send, std::size_t count, std::size_t element, void* receive,
                  const std::size_t* counts, const std::size_t* displacements) {
  if (counts == nullptr || displacements == nullptr)
    return null_argument(counts == nullptr ? "nrecvelem" : "recvdispls");
  const std::size_t units = team.group().size(), me = std::size_t(team.me());
  std::vector<std::size_t> bytes(units);
  std::size_t all = 0;
  for (std::size_t unit = 0; unit < units; ++unit) all += bytes[unit] = counts[unit] * element;
  const bool here = in_place(send, receive);
  if (!here && count != counts[me])
    return {Code::invalid_size,
            std::to_string(count) + " elements are sent where " + std::to_string(counts[me]) + " are expected"};
  const auto mine = own_part(here ? receive : send, here ? displacements[me] * element : 0, bytes[me]);
  std::vector<std::byte> packed(all);
  if (Status status = allgather(team.group(), bytes, mine.data(), packed.data(), Timeout::block()); !status.ok())
    return status;
  const std::byte* from = packed.data();
  for (std::size_t unit = 0; unit < units; from += bytes[unit++])
    if (bytes[unit] > 0)
      std::memcpy(static_cast<std::byte*>(receive) + displacements[unit] * element, from, bytes[unit]);
  return {};
}

}  // namespace

extern "C" {

dart_ret_t dart_barrier(dart_team_t team) {
  const TracedDartCall traced(DartCall::barrier);
  return in_team("dart_barrier", team, [](DartTeam& found) { return found.group().barrier(Timeout::block()); });
}

dart_ret_t dart_bcast(void* buf, size_t nelem, dart_datatype_t dtype, dart_team_unit_t root, dart_team_t team) {
  const TracedDartCall traced(DartCall::bcast);
  return in_team("dart_bcast", team, [&](DartTeam& found) {
    const auto bytes = rooted_bytes(found, nelem, dtype, root);
    if (!bytes.ok()) return bytes.status();
    return broadcast(found.group(), Rank(root.id), buf, *bytes, Timeout::block());
  });
}

dart_ret_t dart_scatter(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype, dart_team_unit_t root,
                        dart_team_t team) {
  const TracedDartCall traced(DartCall::scatter);
  return in_team("dart_scatter", team, [&](DartTeam& found) {
    const auto bytes = rooted_bytes(found, nelem, dtype, root);
    if (!bytes.ok()) return bytes.status();
    const std::vector<std::size_t> parts(found.group().size(), *bytes);
    return scatter(found.group(), Rank(root.id), parts, sendbuf, recvbuf, Timeout::block());
  });
}

dart_ret_t dart_gather(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype, dart_team_unit_t root,
                       dart_team_t team) {
  const TracedDartCall traced(DartCall::gather);
  return in_team("dart_gather", team, [&](DartTeam& found) {
    const auto bytes = rooted_bytes(found, nelem, dtype, root);
    if (!bytes.ok()) return bytes.status();
    const std::vector<std::size_t> parts(found.group().size(), *bytes);
    return gather(found.group(), Rank(root.id), parts, sendbuf, recvbuf, Timeout::block());
  });
}

dart_ret_t dart_allgather(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype, dart_team_t team) {
  const TracedDartCall traced(DartCall::allgather);
  return in_team("dart_allgather", team, [&](DartTeam& found) {
    const auto bytes = block_bytes(found, nelem, dtype);
    if (!bytes.ok()) return bytes.status();
    const std::vector<std::size_t> parts(found.group().size(), *bytes);
    if (!in_place(sendbuf, recvbuf)) return allgather(found.group(), parts, sendbuf, recvbuf, Timeout::block());
    const auto mine = own_part(recvbuf, std::size_t(found.me()) * *bytes, *bytes);
    return allgather(found.group(), parts, mine.data(), recvbuf, Timeout::block());
  });
}

dart_ret_t dart_allgatherv(const void* sendbuf, size_t nsendelem, dart_datatype_t dtype, void* recvbuf,
                           const size_t* nrecvelem, const size_t* recvdispls, dart_team_t teamid) {
  const TracedDartCall traced(DartCall::allgatherv);
  return in_team("dart_allgatherv", teamid, [&](DartTeam& found) {
    const auto element = contiguous_size(dtype);
    if (!element) return wrong_type(dtype, "basic or custom");
    return allgatherv(found, sendbuf, nsendelem, *element, recvbuf, nrecvelem, recvdispls);
  });
}

dart_ret_t dart_allreduce(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype, dart_operation_t op,
                          dart_team_t team) {
  const TracedDartCall traced(DartCall::allreduce);
  return in_team("dart_allreduce", team, [&](DartTeam& found) {
    const auto spec = reduction_of(op, dtype, nelem);
    if (!spec.ok()) return spec.status();
    return allreduce(found.group(), *spec, in_place(sendbuf, recvbuf) ? recvbuf : sendbuf, recvbuf, Timeout::block());
  });
}

dart_ret_t dart_alltoall(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype, dart_team_t team) {
  const TracedDartCall traced(DartCall::alltoall);
  return in_team("dart_alltoall", team, [&](DartTeam& found) {
    const auto bytes = block_bytes(found, nelem, dtype);
    if (!bytes.ok()) return bytes.status();
    if (!in_place(sendbuf, recvbuf)) return alltoall(found.group(), *bytes, sendbuf, recvbuf, Timeout::block());
    const auto mine = own_part(recvbuf, 0, *bytes * found.group().size());
    return alltoall(found.group(), *bytes, mine.data(), recvbuf, Timeout::block());
  });
}

dart_ret_t dart_reduce(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype, dart_operation_t op,
                       dart_team_unit_t root, dart_team_t team) {
  const TracedDartCall traced(DartCall::reduce);
  return in_team("dart_reduce", team, [&](DartTeam& found) {
    if (!found.has(root.id)) return no_such_unit(root.id, found.id());
    const auto spec = reduction_of(op, dtype, nelem);
    if (!spec.ok()) return spec.status();
    return reduce(found.group(), Rank(root.id), *spec, sendbuf, recvbuf, Timeout::block());
  });
}

}  // extern "C"
