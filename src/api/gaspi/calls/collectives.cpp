// Collectives beyond the standard: GASPI_Ext.h.
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/collective/collective_group.hpp"
#include "api/gaspi/collective/reduction_kinds.hpp"
#include "api/gaspi/collective/segment_creation.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <span>
#include <vector>

using namespace polder;
using namespace polder::gaspi;

namespace {

// Of one collective call: finds its group, waits for the turn of this thread, and makes it.
template <class Make>
gaspi_return_t run(const char* call, gaspi_group_t group, gaspi_timeout_t timeout_ms, Make&& make) {
  CollectiveGroup on;
  if (const auto code = find_committed(call, group, on); code != GASPI_SUCCESS) return code;
  const Waiting waiting;
  const Deadline deadline(timeout_ms);
  const api::Turn turn(on.entry->collective_turns, deadline);
  if (!turn.mine()) return GASPI_TIMEOUT;
  const gaspi_return_t code = guarded(call, [&] { return finish_given_up(on, deadline); });
  if (code != GASPI_SUCCESS) return code;
  if (on.entry->reducer.active() || on.entry->agreement.segment())
    return refuse(GASPI_ERR_ACTIVE_COLL, call, "an allreduce or a segment of the group is not finished");
  return guarded(call, [&]() -> gaspi_return_t { return make(*on.group, deadline.left()); });
}

// What members do wrong together is none of the caller's arguments.
gaspi_return_t told(const Status& status) {
  const gaspi_return_t code = outcome(status);
  const bool between_members = status.code() == Code::invalid_argument || status.code() == Code::invalid_group;
  return between_members ? GASPI_ERROR : code;
}

// The place of `root` among the members; false: it is none.
bool find_root(const Group& group, gaspi_rank_t root, Rank& index) {
  const auto found = group.relative(root);
  if (found) index = *found;
  return found.has_value();
}

gaspi_return_t refuse_root(const char* call, gaspi_rank_t root) {
  return refuse(GASPI_ERR_INV_RANK, call, "the root must be a member of the group", root);
}

// Whether `buffer` is null, and something of it is wanted.
bool lacks(const void* buffer, const gaspi_size_t* sizes, std::size_t members) {
  return buffer == nullptr && std::any_of(sizes, sizes + members, [](gaspi_size_t size) { return size != 0; });
}

std::vector<Part> parts_of(const gaspi_size_t* sizes, const gaspi_size_t* offsets, std::size_t members) {
  std::vector<Part> parts(members);
  for (std::size_t i = 0; i < members; ++i) parts[i] = {std::size_t(offsets[i]), std::size_t(sizes[i])};
  return parts;
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_bcast(gaspi_pointer_t buffer, gaspi_size_t size, gaspi_rank_t root, gaspi_group_t group,
                            gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::bcast, {.peer = root, .bytes = size});
  if (buffer == nullptr && size != 0) return refuse_null("gaspi_bcast", "buffer");
  return run("gaspi_bcast", group, timeout_ms, [&](Group& on, Timeout timeout) {
    Rank index = 0;
    if (!find_root(on, root, index)) return refuse_root("gaspi_bcast", root);
    return told(broadcast(on, index, buffer, size, timeout));
  });
}
POLDER_WEAK_ALIAS(bcast);

gaspi_return_t pgaspi_reduce(gaspi_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_number_t num,
                             gaspi_operation_t operation, gaspi_datatype_t datatype, gaspi_rank_t root,
                             gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::reduce, {.peer = root});
  if (buffer_send == nullptr) return refuse_null("gaspi_reduce", "buffer_send");
  if (num == 0) return refuse(GASPI_ERR_INV_NUM, "gaspi_reduce", "the number of elements must be at least 1");
  if (const auto code = check_kinds("gaspi_reduce", operation, datatype); code != GASPI_SUCCESS) return code;
  return run("gaspi_reduce", group, timeout_ms, [&](Group& on, Timeout timeout) {
    Rank index = 0;
    if (!find_root(on, root, index)) return refuse_root("gaspi_reduce", root);
    if (on.index() == index && buffer_receive == nullptr) return refuse_null("gaspi_reduce", "buffer_receive");
    const auto spec = reduction(kOperations[operation], kTypes[datatype], num);
    if (!spec.ok()) return failed(spec.status());
    return told(reduce(on, index, *spec, buffer_send, on.index() == index ? buffer_receive : nullptr, timeout));
  });
}
POLDER_WEAK_ALIAS(reduce);

gaspi_return_t pgaspi_allgather(gaspi_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_size_t size,
                                gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::allgather, {.bytes = size});
  if (size != 0 && buffer_send == nullptr) return refuse_null("gaspi_allgather", "buffer_send");
  if (size != 0 && buffer_receive == nullptr) return refuse_null("gaspi_allgather", "buffer_receive");
  return run("gaspi_allgather", group, timeout_ms, [&](Group& on, Timeout timeout) {
    const std::vector<std::size_t> sizes(on.size(), size);
    return told(allgather(on, sizes, buffer_send, buffer_receive, timeout));
  });
}
POLDER_WEAK_ALIAS(allgather);

gaspi_return_t pgaspi_allgatherv(gaspi_pointer_t buffer_send, gaspi_pointer_t buffer_receive, const gaspi_size_t* sizes,
                                 gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::allgatherv, {});
  if (sizes == nullptr) return refuse_null("gaspi_allgatherv", "sizes");
  return run("gaspi_allgatherv", group, timeout_ms, [&](Group& on, Timeout timeout) {
    if (lacks(buffer_send, sizes + on.index(), 1)) return refuse_null("gaspi_allgatherv", "buffer_send");
    if (lacks(buffer_receive, sizes, on.size())) return refuse_null("gaspi_allgatherv", "buffer_receive");
    const std::vector<std::size_t> all(sizes, sizes + on.size());
    return told(allgather(on, all, buffer_send, buffer_receive, timeout));
  });
}
POLDER_WEAK_ALIAS(allgatherv);

gaspi_return_t pgaspi_alltoall(gaspi_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_size_t size,
                               gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::alltoall, {.bytes = size});
  if (size != 0 && buffer_send == nullptr) return refuse_null("gaspi_alltoall", "buffer_send");
  if (size != 0 && buffer_receive == nullptr) return refuse_null("gaspi_alltoall", "buffer_receive");
  return run("gaspi_alltoall", group, timeout_ms, [&](Group& on, Timeout timeout) {
    return told(alltoall(on, size, buffer_send, buffer_receive, timeout));
  });
}
POLDER_WEAK_ALIAS(alltoall);

gaspi_return_t pgaspi_alltoallv(gaspi_pointer_t buffer_send, const gaspi_size_t* send_sizes,
                                const gaspi_size_t* send_offsets, gaspi_pointer_t buffer_receive,
                                const gaspi_size_t* receive_sizes, const gaspi_size_t* receive_offsets,
                                gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::alltoallv, {});
  if (send_sizes == nullptr || send_offsets == nullptr)
    return refuse_null("gaspi_alltoallv", "send_sizes, send_offsets");
  if (receive_sizes == nullptr || receive_offsets == nullptr)
    return refuse_null("gaspi_alltoallv", "receive_sizes, receive_offsets");
  return run("gaspi_alltoallv", group, timeout_ms, [&](Group& on, Timeout timeout) {
    if (lacks(buffer_send, send_sizes, on.size())) return refuse_null("gaspi_alltoallv", "buffer_send");
    if (lacks(buffer_receive, receive_sizes, on.size())) return refuse_null("gaspi_alltoallv", "buffer_receive");
    const auto sent = parts_of(send_sizes, send_offsets, on.size());
    const auto received = parts_of(receive_sizes, receive_offsets, on.size());
    return told(alltoallv(on, buffer_send, sent, buffer_receive, received, timeout));
  });
}
POLDER_WEAK_ALIAS(alltoallv);

}  // extern "C"
