// GASPI 17.1, sections 8.4.2, 8.4.3 and 8.4.5: lists of writes and reads.
#include "api/gaspi/list_runs.hpp"

using namespace polder;
using namespace polder::gaspi;

namespace {

struct ListCall {
  Posting to;
  Deadline deadline;
  ListRuns list;

  explicit ListCall(gaspi_timeout_t timeout) : deadline(timeout) {}

  gaspi_return_t prepare(const char* operation, const TransferList& arguments, gaspi_queue_id_t queue) {
    const gaspi_return_t code = check_queue(operation, queue, to);
    return code != GASPI_SUCCESS ? code : list.prepare(operation, arguments, to, deadline);
  }
  gaspi_return_t check_notification(const char* operation, Rank rank, SegmentId segment, gaspi_notification_id_t id) {
    const auto there = to.runtime().remote_segment(rank, segment, deadline.left());
    if (!there.ok()) return failed(there.status());
    if (id < there->notifications) return GASPI_SUCCESS;
    return refuse(GASPI_ERR_INV_NOTIF_ID, operation, "the notification id must be below notification_num", id);
  }

  // The last run is left out if `but_last`.
  gaspi_return_t write(bool but_last = false) {
    return each(but_last, [&](const ListRun& run, Post how) {
      return to.runtime().put(run.memory, run.remote, Shape(run.items), how);
    });
  }
  gaspi_return_t read(bool but_last = false) {
    return each(but_last, [&](const ListRun& run, Post how) {
      return to.runtime().get(run.memory, run.remote, Shape(run.items), how);
    });
  }
  const ListRun& last() const { return list.runs().back(); }

  void count_writes() {
    for (const ListRun& run : list.runs()) {
      for (const ListItem& item : run.items) statistics().count_write(run.remote.rank, item.bytes);
    }
  }
  void count_reads() {
    for (const ListRun& run : list.runs()) {
      for (const ListItem& item : run.items) statistics().count_read(item.bytes);
    }
  }

 private:
  template <class Operation>
  gaspi_return_t each(bool but_last, Operation&& operation) {
    for (const ListRun& run : list.runs()) {
      if (but_last && &run == &last()) break;
      const auto code = post(to, deadline.milliseconds(), [&](Post how) { return operation(run, how); });
      if (code != GASPI_SUCCESS) return code;
    }
    return GASPI_SUCCESS;
  }
};

// All runs but the last must have arrived before the last one raises the flag; a flag only waits for its own data.
gaspi_return_t read_before_last(ListCall& call) {
  if (call.list.runs().size() == 1) return GASPI_SUCCESS;
  if (const gaspi_return_t code = call.read(true); code != GASPI_SUCCESS) return code;
  const Waiting waiting(*call.to.context);
  return outcome(call.to.queue->wait(Completion::local, call.deadline.left()));
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_write_list(gaspi_number_t num, gaspi_segment_id_t* segment_id_local, gaspi_offset_t* offset_local,
                                 gaspi_rank_t rank, gaspi_segment_id_t* segment_id_remote,
                                 gaspi_offset_t* offset_remote, gaspi_size_t* size, gaspi_queue_id_t queue,
                                 gaspi_timeout_t timeout_ms) {
  ListCall call(timeout_ms);
  const TransferList list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  if (const auto code = call.prepare("gaspi_write_list", list, queue); code != GASPI_SUCCESS) return code;
  call.count_writes();
  return call.write();
}
[[gnu::weak, gnu::alias("pgaspi_write_list")]] decltype(pgaspi_write_list) gaspi_write_list;

gaspi_return_t pgaspi_write_list_notify(gaspi_number_t num, gaspi_segment_id_t* segment_id_local,
                                        gaspi_offset_t* offset_local, gaspi_rank_t rank,
                                        gaspi_segment_id_t* segment_id_remote, gaspi_offset_t* offset_remote,
                                        gaspi_size_t* size, gaspi_segment_id_t segment_id_notification,
                                        gaspi_notification_id_t notification_id,
                                        gaspi_notification_t notification_value, gaspi_queue_id_t queue,
                                        gaspi_timeout_t timeout_ms) {
  ListCall call(timeout_ms);
  const TransferList list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  if (auto code = call.prepare("gaspi_write_list_notify", list, queue); code != GASPI_SUCCESS) return code;
  auto code = check_value("gaspi_write_list_notify", notification_value);
  if (code != GASPI_SUCCESS) return code;
  code = call.check_notification("gaspi_write_list_notify", rank, segment_id_notification, notification_id);
  if (code != GASPI_SUCCESS) return code;
  call.count_writes();
  statistics().count(Counter::notifications);
  // A notification of its own: it becomes visible after all that this thread has put to the rank before, all runs among
  // that.
  if (code = call.write(); code != GASPI_SUCCESS) return code;
  return post(call.to, call.deadline.milliseconds(), [&](Post how) {
    return call.to.runtime().notify(rank, segment_id_notification, {.id = notification_id, .value = notification_value},
                                    how);
  });
}
[[gnu::weak, gnu::alias("pgaspi_write_list_notify")]] decltype(pgaspi_write_list_notify) gaspi_write_list_notify;

gaspi_return_t pgaspi_read_list(gaspi_number_t num, gaspi_segment_id_t* segment_id_local, gaspi_offset_t* offset_local,
                                gaspi_rank_t rank, gaspi_segment_id_t* segment_id_remote, gaspi_offset_t* offset_remote,
                                gaspi_size_t* size, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  ListCall call(timeout_ms);
  const TransferList list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  if (const auto code = call.prepare("gaspi_read_list", list, queue); code != GASPI_SUCCESS) return code;
  call.count_reads();
  return call.read();
}
[[gnu::weak, gnu::alias("pgaspi_read_list")]] decltype(pgaspi_read_list) gaspi_read_list;

gaspi_return_t pgaspi_read_list_notify(gaspi_number_t num, gaspi_segment_id_t* segment_id_local,
                                       gaspi_offset_t* offset_local, gaspi_rank_t rank,
                                       gaspi_segment_id_t* segment_id_remote, gaspi_offset_t* offset_remote,
                                       gaspi_size_t* size, gaspi_segment_id_t segment_id_notification,
                                       gaspi_notification_id_t notification_id, gaspi_queue_id_t queue,
                                       gaspi_timeout_t timeout_ms) {
  ListCall call(timeout_ms);
  const TransferList list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  if (auto code = call.prepare("gaspi_read_list_notify", list, queue); code != GASPI_SUCCESS) return code;
  auto code = call.check_notification("gaspi_read_list_notify", call.to.context->rank(), segment_id_notification,
                                      notification_id);
  if (code != GASPI_SUCCESS) return code;
  call.count_reads();
  if (code = read_before_last(call); code != GASPI_SUCCESS) return code;
  const ListRun& last = call.last();
  return post(call.to, call.deadline.milliseconds(), [&](Post how) {
    return call.to.runtime().get_notify(last.memory, last.remote, Shape(last.items),
                                        {.id = notification_id, .value = 1, .segment = segment_id_notification}, how);
  });
}
[[gnu::weak, gnu::alias("pgaspi_read_list_notify")]] decltype(pgaspi_read_list_notify) gaspi_read_list_notify;

}  // extern "C"
