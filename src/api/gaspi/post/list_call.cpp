#include "api/gaspi/post/list_call.hpp"

#include <polder/handle.hpp>

#include <algorithm>

namespace polder::gaspi {
namespace {

// Posts all runs of `call`, or all but the last, by `operation(run, how)`.
template <class Operation>
gaspi_return_t post_each(ListCall& call, bool but_last, Operation&& operation) {
  const std::span<const ListRun> runs = call.list.runs();
  for (const ListRun& run : runs) {
    if (but_last && &run == &call.last()) break;
    const auto one = [&](Post how) { return operation(run, how); };
    const auto code =
        &run == runs.data() ? post(call.to, call.deadline.milliseconds(), one) : post_further(call.to, one);
    if (code != GASPI_SUCCESS) return code;
  }
  return GASPI_SUCCESS;
}

}  // namespace

gaspi_return_t ListCall::prepare(const char* operation, const TransferList& arguments, gaspi_queue_id_t queue) {
  const gaspi_return_t code = check_queue(operation, queue, to);
  if (code != GASPI_SUCCESS) return code;
  // A list that is longer than the queue fills it: it would never find room otherwise.
  to.requests = std::min(arguments.num, to.context->config.queue_size_max);
  return list.prepare(operation, arguments, to, deadline);
}

gaspi_return_t ListCall::check_notification(const char* operation, Rank rank, SegmentId segment,
                                            gaspi_notification_id_t id) {
  const auto there = to.runtime().remote_segment(rank, segment, deadline.left());
  if (there.status().code() == Code::peer_failed) return GASPI_SUCCESS;  // posting will meet it
  if (!there.ok()) return failed(there.status());
  if (id < there->notifications) return GASPI_SUCCESS;
  return refuse(GASPI_ERR_INV_NOTIF_ID, operation, "the notification id must be below notification_num", id);
}

gaspi_return_t ListCall::check_flag(const char* operation, SegmentId segment, const Notification& flag) {
  const gaspi_return_t code = check_value(operation, flag.value);
  return code != GASPI_SUCCESS ? code : check_notification(operation, rank(), segment, flag.id);
}

gaspi_return_t ListCall::write() {
  const Timed timed(Counter::time_writes);
  count_writes();
  return post_each(*this, false, [&](const ListRun& run, Post how) {
    return to.runtime().put(run.memory, run.remote, Shape(run.items), how);
  });
}

gaspi_return_t ListCall::write_and_notify(SegmentId segment, const Notification& flag) {
  if (const gaspi_return_t code = write(); code != GASPI_SUCCESS) return code;
  statistics().count(Counter::notifications);
  return post_further(to, [&](Post how) { return to.runtime().notify(rank(), segment, flag, how); });
}

gaspi_return_t ListCall::read(bool but_last) {
  const Timed timed(Counter::time_reads);
  count_reads(but_last);
  return post_each(*this, but_last, [&](const ListRun& run, Post how) {
    return to.runtime().get(run.memory, run.remote, Shape(run.items), how);
  });
}

gaspi_return_t ListCall::read_and_notify(SegmentId segment, gaspi_notification_id_t id) {
  if (const gaspi_return_t code = read_before_last(); code != GASPI_SUCCESS) return code;
  const Timed timed(Counter::time_reads);
  for (const ListItem& item : last().items) statistics().count_read(item.bytes);
  const auto one = [&](Post how) {
    return to.runtime().get_notify(last().memory, last().remote, Shape(last().items),
                                   {.id = id, .value = 1, .segment = segment}, how);
  };
  return list.runs().size() == 1 ? post(to, deadline.milliseconds(), one) : post_further(to, one);
}

// All runs but the last must have arrived before the last one raises the flag; a flag only waits for its own data.
// Waits whatever the timeout of the call, which would otherwise begin anew each time.
gaspi_return_t ListCall::read_before_last() {
  if (list.runs().size() == 1) return GASPI_SUCCESS;
  Handle own;  // what else is in the queue is for the program's own wait
  to.handle = &own;
  const gaspi_return_t code = read(true);
  to.handle = nullptr;
  if (code != GASPI_SUCCESS) return code;
  const Waiting waiting;
  Handle& awaited = to.request != nullptr ? to.request->handle : own;
  return outcome(awaited.wait(Completion::local, to_timeout(to.context->config.sn_timeout)));
}

void ListCall::count_writes() const {
  for (const ListRun& run : list.runs()) {
    for (const ListItem& item : run.items) statistics().count_write(run.remote.rank, item.bytes);
  }
}

void ListCall::count_reads(bool but_last) const {
  for (const ListRun& run : list.runs()) {
    if (but_last && &run == &last()) break;
    for (const ListItem& item : run.items) statistics().count_read(item.bytes);
  }
}

}  // namespace polder::gaspi
