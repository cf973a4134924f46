// Counters of the processor and of the kernel for each thread of the program, by perf_event_open(2): read where the
// user's regions begin and end, at the price of a system call for each counter.
#pragma once

#include "trace/format/kind.hpp"
#include "trace/record/recorder.hpp"

#include <polder/status.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace polder::trace {

// Below those of users: the n-th counter that was asked for.
inline constexpr EventKind kFirstHardware = EventKind(3840);

struct HardwareCounter {
  const char* name;  // "cycles"
  std::uint32_t type;
  std::uint64_t config;  // both as in perf_event_attr
};

// "cycles,instructions" as counters; nothing for an empty text. invalid_argument: one that is not known, eight at most.
Result<std::vector<HardwareCounter>> hardware_counters(std::string_view names);

// Opens a counter of the calling thread: a descriptor. -1: errno says why not.
int open_hardware_counter(const HardwareCounter& counter);

// Thread safe. Recorders that it records to outlive it, or their calls do.
class Hardware {
 public:
  using Open = int (*)(const HardwareCounter& counter);
  explicit Hardware(std::vector<HardwareCounter> counters, Open open = open_hardware_counter);

  std::vector<KindName> names() const;

  // Opens the calling thread's, so that what is refused is known. An empty text, or a sentence.
  std::string prepare();

  // What the calling thread has counted since its first call here, as of the ticks `at`. What is refused is left out.
  void record(Recorder& to, std::int64_t at);

 private:
  const std::vector<HardwareCounter> counters_;
  const Open open_;
  const std::uint64_t serial_;  // by which threads know theirs
};

}  // namespace polder::trace
