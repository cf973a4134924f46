#include "trace/record/ticks.hpp"

#include <fstream>
#include <string>

#include <time.h>

namespace polder::trace {

namespace {

std::int64_t realtime_ns() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Whether the counter runs at one rate whatever the core does, and is the same on all cores. The kernel takes a counter
// that it has caught running apart from its list of clocks.
bool can_trust_cycles() {
  if (!POLDER_X86) return false;
  std::string line;
  std::ifstream clocks("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  std::getline(clocks, line);
  if (line.find("tsc") == std::string::npos) return false;
  for (std::ifstream cpu("/proc/cpuinfo"); std::getline(cpu, line);)
    if (line.starts_with("flags"))
      return line.find(" constant_tsc") != std::string::npos && line.find(" nonstop_tsc") != std::string::npos;
  return false;
}

// A thread that loses its core between two readings would pair times that are milliseconds apart: the tightest of a few
// tries is taken.
ClockReading read_clocks(bool cycles) {
  ClockReading best;
  std::uint64_t width = UINT64_MAX;
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = util::cycles();
    const std::int64_t monotonic = util::now_ns();
    const std::uint64_t after = util::cycles();
    const std::int64_t real = realtime_ns();
    if (after - before >= width) continue;
    width = after - before;
    best = {cycles ? std::int64_t(before + width / 2) : monotonic, monotonic, real};
  }
  return best;
}

// Of the machine; measured once, over a millisecond, which is good to a few parts in 100,000: enough for times that are
// turned into ticks a moment later. Readers have the whole run to measure it.
double measured_rate() {
  const ClockReading first = read_clocks(true);
  const timespec nap{0, 1'000'000};
  nanosleep(&nap, nullptr);
  const ClockReading second = read_clocks(true);
  return double(second.ticks - first.ticks) / double(second.monotonic_ns - first.monotonic_ns);
}

double rate_of_cycles() {
  static const double rate = can_trust_cycles() ? measured_rate() : 0;
  return rate;
}

}  // namespace

class Ticks::FaultyTime final : public util::VirtualTime {
 public:
  explicit FaultyTime(const ClockFault& fault) : fault_(fault) {}
  std::int64_t of(std::int64_t true_ns) const {
    return true_ns + fault_.offset_ns + true_ns / 1'000'000 * fault_.drift_ppm +
           true_ns % 1'000'000 * fault_.drift_ppm / 1'000'000;
  }
  std::int64_t now_ns() const override { return of(util::now_ns()); }
  // Nobody has this clock but a recorder, which only reads it.
  std::uint64_t draw() override { return 0; }
  std::shared_ptr<Task> start(std::string, std::function<void()>) override { return nullptr; }
  void join(Task&) override {}

 private:
  const ClockFault fault_;
};

Ticks::Ticks(util::Clock clock, const ClockFault& fault) : clock_(clock) {
  if (fault.any() && clock.simulated() == nullptr) {
    faulty_ = std::make_shared<FaultyTime>(fault);
    clock_ = util::Clock(*faulty_);
    return;
  }
  if (clock.simulated() != nullptr || rate_of_cycles() <= 0) return;
  cycles_ = true;
  ticks_per_ns_ = rate_of_cycles();
}

std::int64_t Ticks::at(std::int64_t monotonic_ns) const {
  if (faulty_ != nullptr) return faulty_->of(monotonic_ns);
  if (!cycles_) return monotonic_ns;
  return now() - std::int64_t(double(clock_.now_ns() - monotonic_ns) * ticks_per_ns_);
}

ClockReading Ticks::read() const {
  if (faulty_ != nullptr) {
    const ClockReading right = read_clocks(false);
    const std::int64_t wrong = faulty_->of(right.monotonic_ns);
    return {wrong, wrong, right.realtime_ns + wrong - right.monotonic_ns};
  }
  if (clock_.simulated() != nullptr) return {clock_.now_ns(), clock_.now_ns(), clock_.now_ns()};
  return read_clocks(cycles_);
}

}  // namespace polder::trace
