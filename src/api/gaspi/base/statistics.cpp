#include "api/gaspi/base/statistics.hpp"

#include <chrono>

namespace polder::gaspi {
namespace {

constexpr CounterInfo kInfos[] = {
    {"writes", "write requests, entries of lists counted one by one", GASPI_STATISTIC_ARGUMENT_NONE, 1},
    {"bytes_written", "bytes of write requests", GASPI_STATISTIC_ARGUMENT_NONE, 1},
    {"reads", "read requests, entries of lists counted one by one", GASPI_STATISTIC_ARGUMENT_NONE, 1},
    {"bytes_read", "bytes of read requests", GASPI_STATISTIC_ARGUMENT_NONE, 1},
    {"notifications", "notifications posted, alone or behind data", GASPI_STATISTIC_ARGUMENT_NONE, 1},
    {"waits", "calls of gaspi_wait", GASPI_STATISTIC_ARGUMENT_NONE, 1},
    {"barriers", "barriers completed, those of segment creation left out", GASPI_STATISTIC_ARGUMENT_NONE, 1},
    {"allreduces", "allreduces completed", GASPI_STATISTIC_ARGUMENT_NONE, 1},
    {"atomics", "atomic operations", GASPI_STATISTIC_ARGUMENT_NONE, 1},
    {"passive_sends", "passive sends completed", GASPI_STATISTIC_ARGUMENT_NONE, 1},
    {"passive_receives", "passive receives completed", GASPI_STATISTIC_ARGUMENT_NONE, 1},
    {"time_writes", "nanoseconds in calls that post writes", GASPI_STATISTIC_ARGUMENT_NONE, 2},
    {"time_reads", "nanoseconds in calls that post reads", GASPI_STATISTIC_ARGUMENT_NONE, 2},
    {"time_notifications", "nanoseconds in gaspi_notify", GASPI_STATISTIC_ARGUMENT_NONE, 2},
    {"time_notification_waits", "nanoseconds in gaspi_notify_waitsome", GASPI_STATISTIC_ARGUMENT_NONE, 2},
    {"time_waits", "nanoseconds in gaspi_wait", GASPI_STATISTIC_ARGUMENT_NONE, 2},
    {"time_barriers", "nanoseconds in gaspi_barrier", GASPI_STATISTIC_ARGUMENT_NONE, 2},
    {"time_allreduces", "nanoseconds in gaspi_allreduce and gaspi_allreduce_user", GASPI_STATISTIC_ARGUMENT_NONE, 2},
    {"time_atomics", "nanoseconds in atomic operations", GASPI_STATISTIC_ARGUMENT_NONE, 2},
    {"time_passive_sends", "nanoseconds in gaspi_passive_send", GASPI_STATISTIC_ARGUMENT_NONE, 2},
    {"time_passive_receives", "nanoseconds in gaspi_passive_receive", GASPI_STATISTIC_ARGUMENT_NONE, 2},
    {"bytes_to_rank", "bytes of writes and passive sends to one rank", GASPI_STATISTIC_ARGUMENT_RANK, 2},
    {"messages_to_rank", "writes, notifications and passive sends to one rank; data with a notification is one",
     GASPI_STATISTIC_ARGUMENT_RANK, 2},
};
static_assert(std::size(kInfos) == kCounters);

bool about_ranks(Counter counter) {
  return kInfos[unsigned(counter)].argument == GASPI_STATISTIC_ARGUMENT_RANK;
}

}  // namespace

constinit ImmortalStatistics immortal_statistics;

const CounterInfo& info(Counter counter) {
  return kInfos[unsigned(counter)];
}

void Statistics::prepare(Rank ranks) {
  to_rank_ = std::make_unique<ToRank[]>(ranks);
  ranks_ = ranks;
}

bool Statistics::get(Counter counter, Rank rank, unsigned long& value) const {
  if (!about_ranks(counter)) {
    value = values_[unsigned(counter)].load(std::memory_order_relaxed);
    return true;
  }
  if (rank >= ranks_) return false;
  const ToRank& to = to_rank_[rank];
  value = (counter == Counter::bytes_to_rank ? to.bytes : to.messages).load(std::memory_order_relaxed);
  return true;
}

void Statistics::reset(Counter counter) {
  values_[unsigned(counter)].store(0, std::memory_order_relaxed);
  if (!about_ranks(counter)) return;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    ToRank& to = to_rank_[rank];
    (counter == Counter::bytes_to_rank ? to.bytes : to.messages).store(0, std::memory_order_relaxed);
  }
}

void Statistics::add(Counter counter, unsigned long amount) {
  values_[unsigned(counter)].fetch_add(amount, std::memory_order_relaxed);
}

void Statistics::add_write(Rank target, unsigned long bytes) {
  add(Counter::writes, 1);
  add(Counter::bytes_written, bytes);
  add_message(target, bytes);
}

void Statistics::add_notification(Rank target) {
  add(Counter::notifications, 1);
  add_message(target, 0);
}

void Statistics::add_message(Rank target, unsigned long bytes) {
  if (!detailed() || target >= ranks_) return;
  to_rank_[target].bytes.fetch_add(bytes, std::memory_order_relaxed);
  to_rank_[target].messages.fetch_add(1, std::memory_order_relaxed);
}

unsigned long Timed::now() {
  using std::chrono::nanoseconds;
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<unsigned long>(std::chrono::duration_cast<nanoseconds>(since).count());
}

}  // namespace polder::gaspi
