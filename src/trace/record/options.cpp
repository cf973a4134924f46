#include "trace/record/options.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace polder::trace {

namespace {

constexpr util::Option kDirectory{"POLDER_TRACE", "", "folder for trace files, one a rank; empty: no tracing"};
constexpr util::Option kOldDirectory{"POLDER_TRACE_DIR", "", "another name of POLDER_TRACE"};
constexpr util::Option kLimit{"POLDER_TRACE_LIMIT", "4G",
                              "bytes of trace files of the whole job; what comes later is counted and not kept"};
constexpr util::Option kWindow{"POLDER_TRACE_WINDOW", "",
                               "seconds since the start between which events are kept, as in 2..5"};
constexpr util::Option kKinds{"POLDER_TRACE_KINDS", "",
                              "kinds or categories of events to keep, as in put_notify,sync,user; empty: all"};
constexpr util::Option kLeastBytes{"POLDER_TRACE_MIN_BYTES", "0",
                                   "puts, gets and the like of fewer bytes are not kept"};
constexpr util::Option kRanks{"POLDER_TRACE_RANKS", "", "ranks to trace, as in 0,4-7; empty: all"};
constexpr util::Option kRing{"POLDER_TRACE_EVENTS", "32768", "events that each thread keeps in memory, 48 bytes each",
                             2};
constexpr util::Option kMemory{"POLDER_TRACE_MEMORY", "256M", "bytes of memory for events of all threads of a rank"};

constexpr util::Option kCounters{"POLDER_TRACE_COUNTERS", "",
                                 "counters of the processor to read where regions of the program begin and end, as in "
                                 "cycles,instructions,cache-misses"};

constexpr util::Option kClock{
    "POLDER_TRACE_CLOCK", "",
    "for tests: nanoseconds and millionths by which the clock of this machine is to be wrong, as in 5000000,300"};

constexpr util::Option kTable[] = {kDirectory, kOldDirectory, kLimit,  kWindow,   kKinds, kLeastBytes,
                                   kRanks,     kRing,         kMemory, kCounters, kClock};

Status wrong(const util::Option& option, const Status& why) {
  return Status(Code::invalid_argument, std::string(option.name) + ": " + std::string(why.message()));
}

// "OFFSET,DRIFT"; an empty text: none.
Result<ClockFault> clock_fault_of(const std::string& text) {
  ClockFault fault;
  if (text.empty()) return fault;
  const char* const end = text.data() + text.size();
  const auto [comma, first] = std::from_chars(text.data(), end, fault.offset_ns);
  const bool has_two = first == std::errc() && comma != end && *comma == ',';
  const auto [rest, second] = has_two ? std::from_chars(comma + 1, end, fault.drift_ppm)
                                      : std::from_chars_result{comma, std::errc::invalid_argument};
  if (has_two && second == std::errc() && rest == end) return fault;
  return Status(Code::invalid_argument, "'" + text + "' is no offset and drift, as in 5000000,300");
}

// Of the ranks that are traced; `rank` is one of them.
bool is_first_named(const std::string& ranks, Rank rank) {
  for (Rank before = 0; before < rank; ++before)
    if (names_rank(ranks, before).value_or(false)) return false;
  return true;
}

}  // namespace

std::span<const util::Option> options() {
  return kTable;
}

Result<std::vector<HardwareCounter>> wanted_counters() {
  auto counters = hardware_counters(util::option_text(kCounters));
  return counters ? std::move(counters) : Result<std::vector<HardwareCounter>>(wrong(kCounters, counters.status()));
}

Result<bool> read_environment(RecorderOptions& options) {
  options.directory = util::option_text(kDirectory);
  if (options.directory.empty()) options.directory = util::option_text(kOldDirectory);
  if (options.directory.empty()) return false;
  const auto named = names_rank(util::option_text(kRanks), options.rank);
  if (!named) return wrong(kRanks, named.status());
  if (!*named) return false;
  options.file_limit = std::max<std::uint64_t>(std::uint64_t(util::option_number(kLimit)) / options.size, 4096);
  options.memory_limit = std::uint64_t(util::option_number(kMemory));
  options.ring_events = std::uint32_t(std::min<std::int64_t>(util::option_number(kRing), 1 << 24));
  options.selection.set_kinds(util::option_text(kKinds));
  options.tells_unknown_words = is_first_named(util::option_text(kRanks), options.rank);
  options.selection.set_least_bytes(std::uint64_t(util::option_number(kLeastBytes)));
  const auto fault = clock_fault_of(util::option_text(kClock));
  if (!fault) return wrong(kClock, fault.status());
  options.clock_fault = *fault;
  const std::string window = util::option_text(kWindow);
  if (window.empty()) return true;
  const auto seconds = window_of(window);
  if (!seconds) return wrong(kWindow, seconds.status());
  const Ticks ticks(options.clock, options.clock_fault);
  const std::int64_t now = options.clock.now_ns();
  options.selection.set_window(ticks.at(now + std::int64_t(seconds->from_s * 1e9)),
                               ticks.at(now + std::int64_t(seconds->to_s * 1e9)));
  return true;
}

}  // namespace polder::trace
