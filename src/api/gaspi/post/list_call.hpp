// A call with a list of transfers, from its arguments to its requests.
#pragma once

#include "api/gaspi/post/list_runs.hpp"

namespace polder::gaspi {

struct ListCall {
  Posting to;
  Deadline deadline;
  ListRuns list;

  explicit ListCall(gaspi_timeout_t timeout) : deadline(timeout) {}

  gaspi_return_t prepare(const char* operation, const TransferList& arguments, gaspi_queue_id_t queue);

  // Before anything is written, so that a wrong notification changes nothing either.
  gaspi_return_t check_notification(const char* operation, Rank rank, SegmentId segment, gaspi_notification_id_t id);
  // Of a notification at the rank that the list goes to.
  gaspi_return_t check_flag(const char* operation, SegmentId segment, const Notification& flag);

  // Each counts what it posts.
  gaspi_return_t write();
  gaspi_return_t read() { return read(false); }
  // A notification of its own: it becomes visible after all that this thread has put to the rank before, all runs among
  // that.
  gaspi_return_t write_and_notify(SegmentId segment, const Notification& flag);
  // In a segment of this rank.
  gaspi_return_t read_and_notify(SegmentId segment, gaspi_notification_id_t id);

  const ListRun& last() const { return list.runs().back(); }

 private:
  Rank rank() const { return last().remote.rank; }
  gaspi_return_t read(bool but_last);
  gaspi_return_t read_before_last();
  void count_writes() const;
  void count_reads(bool but_last) const;
};

}  // namespace polder::gaspi
