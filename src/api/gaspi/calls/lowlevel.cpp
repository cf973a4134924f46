// GASPI_Lowlevel.h: tagged requests. Each is an operation of its own handle, which tells when it is over.
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/post/list_call.hpp"
#include "api/gaspi/post/posting.hpp"

#include <chrono>
#include <thread>

using namespace polder;
using namespace polder::gaspi;

namespace {

// Between two looks at requests that take long.
constexpr auto kRequestNap = std::chrono::microseconds(20);

// The arguments of an operation without a list.
struct Request {
  gaspi_operation_kind_t kind;
  gaspi_segment_id_t segment_local;
  gaspi_offset_t offset_local;
  gaspi_size_t size;
  GlobalAddress remote;
  Notification notification;
};

bool is_notifying(gaspi_operation_kind_t kind) {
  return kind == GASPI_OP_NOTIFY || kind == GASPI_OP_WRITE_NOTIFY || kind == GASPI_OP_WRITE_LIST_NOTIFY;
}

bool is_list(gaspi_operation_kind_t kind) {
  return kind == GASPI_OP_READ_LIST || kind == GASPI_OP_WRITE_LIST || kind == GASPI_OP_WRITE_LIST_NOTIFY;
}

bool is_known(gaspi_operation_kind_t kind) {
  return unsigned(kind) <= unsigned(GASPI_OP_WRITE_LIST_NOTIFY);
}

gaspi_return_t check(const char* operation, const Request& request, Posting& to) {
  if (is_notifying(request.kind)) {
    if (const auto code = check_value(operation, request.notification.value); code != GASPI_SUCCESS) return code;
  }
  if (request.kind == GASPI_OP_NOTIFY) return GASPI_SUCCESS;
  return check_local(operation, request.segment_local, request.offset_local, request.size, to);
}

Status start(const Request& request, const Posting& to, Post how) {
  Runtime& runtime = to.runtime();
  switch (request.kind) {
    case GASPI_OP_READ: return runtime.get(to.memory, request.remote, request.size, how);
    case GASPI_OP_WRITE: return runtime.put(to.memory, request.remote, request.size, how);
    case GASPI_OP_NOTIFY: return runtime.notify(request.remote.rank, request.remote.segment, request.notification, how);
    default: return runtime.put_notify(to.memory, request.remote, request.size, request.notification, how);
  }
}

void count(const Request& request) {
  if (request.kind == GASPI_OP_READ) return statistics().count_read(request.size);
  if (request.kind == GASPI_OP_NOTIFY) return statistics().count_notification(request.remote.rank);
  statistics().count_write(request.remote.rank, request.size);
  if (request.kind == GASPI_OP_WRITE_NOTIFY) statistics().count(Counter::notifications);
}

// Runs `post`, which posts through `to`, as the request `tag`; without a tag it is an ordinary one.
template <class Post>
gaspi_return_t submit(Posting& to, gaspi_tag_t tag, Post&& post) {
  if (tag == GASPI_TAG_NULL) return post();
  if (to.queue->tagged.count() >= to.context->config.queue_size_max) return in_trace(GASPI_QUEUE_FULL);
  TaggedRequest request;
  request.tag = tag;
  to.request = &request;
  const gaspi_return_t code = post();
  to.request = nullptr;
  if (code == GASPI_SUCCESS) to.queue->tagged.add(std::move(request));
  return code;
}

gaspi_return_t refuse_kind(const char* operation, gaspi_operation_kind_t kind) {
  return refuse(GASPI_ERR_INV_NUM, operation, "the kind of operation must be one that this call knows", unsigned(kind));
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_operation_submit(gaspi_operation_kind_t operation, gaspi_tag_t tag,
                                       gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local,
                                       gaspi_rank_t rank, gaspi_segment_id_t segment_id_remote,
                                       gaspi_offset_t offset_remote, gaspi_size_t size,
                                       gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                                       gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::operation_submit,
                               {.peer = rank, .segment = segment_id_remote, .bytes = size, .queue = queue});
  constexpr auto kName = "gaspi_operation_submit";
  Posting to;
  if (const auto code = check_queue(kName, queue, to); code != GASPI_SUCCESS) return code;
  if (!is_known(operation) || is_list(operation)) return refuse_kind(kName, operation);
  const Request request{operation,
                        segment_id_local,
                        offset_local,
                        size,
                        {rank, segment_id_remote, offset_remote},
                        {.id = notification_id, .value = notification_value}};
  if (const auto code = check(kName, request, to); code != GASPI_SUCCESS) return code;
  count(request);
  return guarded(kName, [&] {
    return submit(to, tag, [&] { return post(to, timeout_ms, [&](Post how) { return start(request, to, how); }); });
  });
}
POLDER_WEAK_ALIAS(operation_submit);

gaspi_return_t pgaspi_operation_list_submit(gaspi_operation_kind_t operation, gaspi_tag_t tag, gaspi_number_t num,
                                            gaspi_segment_id_t* segment_id_local, gaspi_offset_t* offset_local,
                                            gaspi_rank_t rank, gaspi_segment_id_t* segment_id_remote,
                                            gaspi_offset_t* offset_remote, gaspi_size_t* size,
                                            gaspi_segment_id_t segment_id_notification,
                                            gaspi_notification_id_t notification_id,
                                            gaspi_notification_t notification_value, gaspi_queue_id_t queue,
                                            gaspi_timeout_t timeout_ms) {
  TracedGaspiCall traced(GaspiCall::operation_list_submit, {.peer = rank, .queue = queue});
  if (traced.active()) traced.set_bytes(sum_of(size, num));
  constexpr auto kName = "gaspi_operation_list_submit";
  ListCall call(timeout_ms);
  const TransferList list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  if (const auto code = call.prepare(kName, list, queue); code != GASPI_SUCCESS) return code;
  if (!is_list(operation)) return refuse_kind(kName, operation);
  const Notification flag{.id = notification_id, .value = notification_value};
  if (operation == GASPI_OP_WRITE_LIST_NOTIFY) {
    const auto code = call.check_flag(kName, segment_id_notification, flag);
    if (code != GASPI_SUCCESS) return code;
  }
  return guarded(kName, [&] {
    return submit(call.to, tag, [&] {
      if (operation == GASPI_OP_READ_LIST) return call.read();
      if (operation == GASPI_OP_WRITE_LIST) return call.write();
      return call.write_and_notify(segment_id_notification, flag);
    });
  });
}
POLDER_WEAK_ALIAS(operation_list_submit);

gaspi_return_t pgaspi_operation_get_num_requests(gaspi_operation_kind_t operation, gaspi_number_t,
                                                 gaspi_number_t* num_requests) {
  constexpr auto kName = "gaspi_operation_get_num_requests";
  if (num_requests == nullptr) return refuse_null(kName, "num_requests");
  if (!is_known(operation)) return refuse_kind(kName, operation);
  *num_requests = 1;
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(operation_get_num_requests);

gaspi_return_t pgaspi_request_wait(gaspi_queue_id_t queue, gaspi_number_t max_requests,
                                   gaspi_number_t* completed_requests, gaspi_tag_t* tags, gaspi_status_t* statuses,
                                   gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::request_wait, {.queue = queue});
  constexpr auto kName = "gaspi_request_wait";
  Posting on;
  if (const auto code = check_queue(kName, queue, on); code != GASPI_SUCCESS) return code;
  if (completed_requests == nullptr) return refuse_null(kName, "completed_requests");
  if (tags == nullptr) return refuse_null(kName, "tags");
  if (statuses == nullptr) return refuse_null(kName, "statuses");
  if (max_requests == 0) return refuse(GASPI_ERR_INV_NUM, kName, "there must be room for a request at least");
  const Waiting waiting;
  const Deadline deadline(timeout_ms);
  while (true) {
    *completed_requests = on.queue->tagged.take(max_requests, tags, statuses);
    if (*completed_requests > 0 || on.queue->tagged.count() == 0) return GASPI_SUCCESS;
    if (deadline.left().is_test() || deadline.over()) return in_trace(GASPI_TIMEOUT);
    std::this_thread::sleep_until(deadline.nap(kRequestNap));
  }
}
POLDER_WEAK_ALIAS(request_wait);

}  // extern "C"
