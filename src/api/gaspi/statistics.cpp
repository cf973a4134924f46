#include "api/gaspi/statistics.hpp"

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
    {"bytes_to_rank", "bytes of write requests to one rank", GASPI_STATISTIC_ARGUMENT_RANK, 2},
};
static_assert(std::size(kInfos) == kCounters);

}  // namespace

constinit ImmortalStatistics immortal_statistics;

const CounterInfo& info(Counter counter) {
  return kInfos[unsigned(counter)];
}

void Statistics::prepare(Rank ranks) {
  to_rank_ = std::make_unique<std::atomic<unsigned long>[]>(ranks);
  ranks_ = ranks;
}

bool Statistics::get(Counter counter, Rank rank, unsigned long& value) const {
  if (counter != Counter::bytes_to_rank) {
    value = values_[unsigned(counter)].load(std::memory_order_relaxed);
    return true;
  }
  if (rank >= ranks_) return false;
  value = to_rank_[rank].load(std::memory_order_relaxed);
  return true;
}

void Statistics::reset(Counter counter) {
  values_[unsigned(counter)].store(0, std::memory_order_relaxed);
  if (counter != Counter::bytes_to_rank) return;
  for (Rank rank = 0; rank < ranks_; ++rank) to_rank_[rank].store(0, std::memory_order_relaxed);
}

void Statistics::add(Counter counter, unsigned long amount) {
  values_[unsigned(counter)].fetch_add(amount, std::memory_order_relaxed);
}

void Statistics::add_write(Rank target, unsigned long bytes) {
  add(Counter::writes, 1);
  add(Counter::bytes_written, bytes);
  if (level_.load(std::memory_order_relaxed) < 2 || target >= ranks_) return;
  to_rank_[target].fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace polder::gaspi
