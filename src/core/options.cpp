#include "core/options.hpp"

namespace polder::core {
namespace {

constexpr util::Option kDevice{"POLDER_DEVICE", "auto", "device between ranks: auto, shm"};
constexpr util::Option kSpin{"POLDER_SPIN_US", "100", "microseconds to spin before yielding, when ranks fit the cores"};
constexpr util::Option kYield{"POLDER_YIELD_US", "1000", "microseconds to yield to other ranks before sleeping"};
constexpr util::Option kSlowYield{"POLDER_SLOW_YIELD_US", "300",
                                  "a yield that takes longer met a stranger's process: sleep instead for a while"};
constexpr util::Option kSlice{"POLDER_SLICE_MS", "50",
                              "longest sleep between two looks at the state of peers, milliseconds"};
constexpr util::Option kTimeSlice{
    "POLDER_TIME_SLICE_US", "100",
    "time slice that waiting threads ask the scheduler for, so that they wake before strangers' "
    "computations: 100 to 100000 microseconds, 0 for none (Linux 6.12 and newer)"};
constexpr util::Option kOversubscribed{"POLDER_OVERSUBSCRIBED", "auto",
                                       "whether ranks outnumber cores and must not spin: auto (count them), on, off"};
constexpr util::Option kHelper{
    "POLDER_HELPER", "on", "on: a thread of each rank serves messages when it has to; off: only callers make progress"};
constexpr util::Option kTraceDirectory{"POLDER_TRACE_DIR", "", "folder for trace files; empty: no tracing"};

constexpr util::Option kTable[] = {kDevice,    kSpin,           kYield,  kSlowYield,     kSlice,
                                   kTimeSlice, kOversubscribed, kHelper, kTraceDirectory};

bool oversubscribed(int local_ranks, int cores) {
  return util::option_text(kOversubscribed) == "auto" ? local_ranks > cores : util::option_flag(kOversubscribed);
}

}  // namespace

std::span<const util::Option> options() {
  return kTable;
}

util::WaitOptions wait_options(int local_ranks, int cores) {
  return {.oversubscribed = oversubscribed(local_ranks, cores),
          .spin_ns = util::option_number(kSpin) * 1000,
          .yield_ns = util::option_number(kYield) * 1000,
          .slow_yield_ns = util::option_number(kSlowYield) * 1000,
          .slice_ns = util::option_number(kSlice) * 1'000'000,
          .time_slice_ns = util::option_number(kTimeSlice) * 1000};
}

std::string device_option() {
  return util::option_text(kDevice);
}
std::string trace_directory_option() {
  return util::option_text(kTraceDirectory);
}
bool helper_option() {
  return util::option_flag(kHelper);
}

}  // namespace polder::core
