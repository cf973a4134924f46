// What the calls that post operations have in common. All of it is on the hot path.
#pragma once

#include "api/gaspi/base/error.hpp"
#include "api/gaspi/life/context.hpp"

#include <polder/runtime.hpp>

namespace polder::gaspi {

// The local side of an operation, once it is known to be right.
struct Posting {
  Context* context = nullptr;
  CountedQueue* queue = nullptr;
  std::byte* memory = nullptr;
  unsigned requests = 1;             // what it counts as in the queue: a list counts as its elements
  TaggedRequest* request = nullptr;  // not null: a tagged one, which the queue's counter leaves to TaggedRequests
  Handle* handle = nullptr;          // not null: of operations that the call waits for by themselves

  Runtime& runtime() const { return context->runtime(); }
  Post how(Timeout timeout) const {
    Post post(*queue->queue, timeout);
    post.handle = request != nullptr ? &request->handle : handle;
    return post;
  }
};

// The slow half of the checks below: says what was wrong with the range.
gaspi_return_t refuse_range(gaspi_return_t code, const char* operation, gaspi_segment_id_t segment,
                            gaspi_offset_t offset, gaspi_size_t size);
gaspi_return_t refuse_size(const Context& context, const char* operation, gaspi_size_t size);

inline gaspi_return_t check_queue(const char* operation, gaspi_queue_id_t queue, Posting& posting) {
  posting.context = current();
  if (posting.context == nullptr) [[unlikely]]
    return refused(refuse_before_init(operation));
  posting.queue = posting.context->queues.find(queue);
  if (posting.queue == nullptr) [[unlikely]]
    return refused(refuse(GASPI_ERR_INV_QUEUE, operation, "the queue must exist", queue));
  return GASPI_SUCCESS;
}

// REQUIRES: check_queue() has succeeded.
inline gaspi_return_t check_local(const char* operation, gaspi_segment_id_t segment, gaspi_offset_t offset,
                                  gaspi_size_t size, Posting& posting) {
  if (size > posting.context->limits.transfer_size) [[unlikely]]
    return refuse_size(*posting.context, operation, size);
  const LocalRange range = posting.context->segments.range(segment, offset, size);
  if (range.code != GASPI_SUCCESS) [[unlikely]]
    return refuse_range(range.code, operation, segment, offset, size);
  posting.memory = range.memory;
  return GASPI_SUCCESS;
}

inline gaspi_return_t check_posting(const char* operation, gaspi_segment_id_t segment, gaspi_offset_t offset,
                                    gaspi_size_t size, gaspi_queue_id_t queue, Posting& posting) {
  if (const gaspi_return_t code = check_queue(operation, queue, posting); code != GASPI_SUCCESS) [[unlikely]]
    return code;
  return check_local(operation, segment, offset, size, posting);
}

inline gaspi_return_t check_value(const char* operation, gaspi_notification_t value) {
  if (value == 0) [[unlikely]]
    return refuse(GASPI_ERR_INV_NOTIF_VAL, operation, "the notification value must differ from 0");
  return GASPI_SUCCESS;
}

// What became of an operation that is counted in the queue and was not posted in the end. To a rank that is gone it
// counts as posted: gaspi_wait tells, or the status of its tag, and the state vector (GASPI 17.1, sections 5.5.2 and
// 8.2).
gaspi_return_t settle(const Posting& posting, const Status& status);
gaspi_return_t settle_further(const Posting& posting, const Status& status);

// The slow half of post(): waits where waiting may help.
template <class Operation>
gaspi_return_t post_again(const Posting& posting, gaspi_timeout_t timeout, Status status, Operation&& operation) {
  const Deadline deadline(timeout);
  const Waiting waiting;
  while (lacks_room(status) && !deadline.over()) status = operation(posting.how(deadline.left()));
  return settle(posting, status);
}

// `operation` takes a Post. A full queue is told at once, as the standard wants it, whatever the timeout: so the first
// try does not wait.
template <class Operation>
gaspi_return_t post(const Posting& posting, gaspi_timeout_t timeout, Operation&& operation) {
  if (posting.request == nullptr && !posting.queue->posted.add(posting.requests)) [[unlikely]]
    return in_trace(GASPI_QUEUE_FULL);
  Status first = operation(posting.how(Timeout::test()));
  if (first.ok()) [[likely]]
    return GASPI_SUCCESS;
  return post_again(posting, timeout, std::move(first), operation);
}

// A further operation of a request that has its place in the queue: not counted, and it waits for room whatever the
// timeout of the call, because a request is in the queue with all its operations or with none.
template <class Operation>
gaspi_return_t post_further(const Posting& posting, Operation&& operation) {
  const Waiting waiting;
  return settle_further(posting, operation(posting.how(to_timeout(posting.context->config.sn_timeout))));
}

}  // namespace polder::gaspi
