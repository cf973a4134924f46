#include "trace/record/hardware.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace polder::trace {
namespace {

constexpr std::size_t kMost = 8;

constexpr HardwareCounter kKnown[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};

const HardwareCounter* find_counter(std::string_view name) {
  for (const HardwareCounter& known : kKnown)
    if (name == known.name) return &known;
  return nullptr;
}

Status no_such_counter(std::string_view name) {
  std::string all;
  for (const HardwareCounter& known : kKnown) all += (all.empty() ? "" : ", ") + std::string(known.name);
  return {Code::invalid_argument, "there is no counter '" + std::string(name) + "'; there are " + all};
}

std::string reason_of(int error) {
  if (error == EACCES || error == EPERM) {
    std::string paranoid = "?";
    std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid;
    return "the system forbids it (kernel.perf_event_paranoid is " + paranoid +
           "; up to 2 a program may count for itself, unless its container forbids that)";
  }
  if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
    return "this machine does not offer it, as virtual ones often do not";
  if (error == ENOSYS) return "this kernel cannot count";
  return std::string("the system refuses it: ") + std::strerror(error);
}

// The descriptors of one thread.
struct ThreadCounters {
  std::uint64_t serial = 0;  // of whom they are; 0: of nobody
  std::array<int, kMost> files{};
  std::array<std::uint16_t, kMost> numbers{};
  std::size_t open = 0;
  std::string refusal;

  ~ThreadCounters() { close_all(); }
  void close_all() {
    for (std::size_t i = 0; i < open; ++i) ::close(files[i]);
    open = 0;
  }

  void open_all(std::uint64_t whose, const std::vector<HardwareCounter>& counters, Hardware::Open how) {
    close_all();
    serial = whose;
    refusal.clear();
    std::string names, why;
    for (std::size_t i = 0; i < counters.size(); ++i) {
      const int file = how(counters[i]);
      if (file < 0) {
        if (why.empty()) why = reason_of(errno);
        names += (names.empty() ? "" : ", ") + std::string(counters[i].name);
        continue;
      }
      files[open] = file;
      numbers[open++] = std::uint16_t(i);
    }
    if (!names.empty()) refusal = "not counted: " + names + "; " + why;
  }
};
thread_local ThreadCounters this_threads;

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

Result<std::vector<HardwareCounter>> hardware_counters(std::string_view names) {
  std::vector<HardwareCounter> counters;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    const HardwareCounter* const known = find_counter(name);
    if (known == nullptr) return no_such_counter(name);
    counters.push_back(*known);
  }
  if (counters.size() > kMost) return Status(Code::invalid_argument, "more than eight counters");
  return counters;
}

int open_hardware_counter(const HardwareCounter& counter) {
  perf_event_attr how;
  std::memset(&how, 0, sizeof how);
  how.size = sizeof how;
  how.type = counter.type;
  how.config = counter.config;
  how.exclude_kernel = counter.type == PERF_TYPE_HARDWARE;  // without that, the stricter settings forbid all
  how.exclude_hv = 1;
  how.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return int(syscall(SYS_perf_event_open, &how, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

Hardware::Hardware(std::vector<HardwareCounter> counters, Open open)
    : counters_(std::move(counters)), open_(open), serial_(next_serial()) {}

std::vector<KindName> Hardware::names() const {
  std::vector<KindName> names;
  for (std::size_t i = 0; i < counters_.size(); ++i)
    names.push_back({kind_of(kFirstHardware, std::uint16_t(i)), EventKind::hardware, counters_[i].name, "hardware"});
  return names;
}

std::string Hardware::prepare() {
  if (this_threads.serial != serial_) this_threads.open_all(serial_, counters_, open_);
  return this_threads.refusal;
}

// Where there are more counters than the processor has, the kernel lets them take turns: then it is an estimate.
void Hardware::record(Recorder& to, std::int64_t at) {
  if (this_threads.serial != serial_) this_threads.open_all(serial_, counters_, open_);
  const ThreadCounters& mine = this_threads;
  if (mine.open == 0) return;
  for (std::size_t i = 0; i < mine.open; ++i) {
    struct {
      std::uint64_t value, enabled, running;
    } seen{};
    if (::read(mine.files[i], &seen, sizeof seen) != ssize_t(sizeof seen) || seen.running == 0) continue;
    const double share = double(seen.enabled) / double(seen.running);
    const std::uint64_t value = seen.enabled == seen.running ? seen.value : std::uint64_t(double(seen.value) * share);
    to.record(make_event(kind_of(kFirstHardware, mine.numbers[i]), Phase::counter, at, at, {.bytes = value}));
  }
}

}  // namespace polder::trace
