#include "lines.hpp"

#include <fftw3.h>

#include <limits>
#include <map>
#include <mutex>
#include <vector>

namespace fft {
namespace {

// FFTW makes plans one at a time in a process.
std::mutex& planning() {
  static std::mutex mutex;
  return mutex;
}

constexpr std::uint64_t kMostAtOnce = 64;  // lines of a plan; more go in several turns

}  // namespace

struct Lines::Plans {
  Plans(std::uint64_t n, bool back, Effort e) : length(n), inverse(back), effort(e) {}
  ~Plans() {
    std::lock_guard lock(planning());
    for (const auto& [number, plan] : by_number) fftw_destroy_plan(plan);
  }

  fftw_plan of(std::uint64_t number) {
    if (const auto known = by_number.find(number); known != by_number.end()) return known->second;
    // Making a plan may overwrite what it is made for.
    std::vector<Complex> memory(length * number);
    auto* const lines = reinterpret_cast<fftw_complex*>(memory.data());
    const int n = int(length);
    std::lock_guard lock(planning());
    const fftw_plan plan = fftw_plan_many_dft(
        1, &n, int(number), lines, nullptr, 1, n, lines, nullptr, 1, n, inverse ? FFTW_BACKWARD : FFTW_FORWARD,
        (effort == Effort::measure ? FFTW_MEASURE : FFTW_ESTIMATE) | FFTW_UNALIGNED);
    if (plan != nullptr) by_number.emplace(number, plan);
    return plan;
  }

  const std::uint64_t length;
  const bool inverse;
  const Effort effort;
  std::map<std::uint64_t, fftw_plan> by_number;
};

Lines::Lines(std::unique_ptr<Plans> plans) : plans_(std::move(plans)) {}
Lines::Lines(Lines&&) noexcept = default;
Lines& Lines::operator=(Lines&&) noexcept = default;
Lines::~Lines() = default;

Result<Lines> Lines::create(std::uint64_t length, bool inverse, Effort effort) {
  if (length > std::uint64_t(std::numeric_limits<int>::max()))
    return Status(Code::invalid_size, "lines of " + std::to_string(length) + " elements are longer than FFTW takes");
  return Lines(std::make_unique<Plans>(length, inverse, effort));
}

Status Lines::transform(Complex* lines, std::uint64_t number) {
  if (plans_->length == 0) return {};
  while (number > 0) {
    const std::uint64_t now = std::min(number, kMostAtOnce);
    const fftw_plan plan = plans_->of(now);
    if (plan == nullptr)
      return {Code::out_of_memory, "FFTW has no plan for " + std::to_string(now) + " lines of " +
                                       std::to_string(plans_->length) + " elements"};
    auto* const place = reinterpret_cast<fftw_complex*>(lines);
    fftw_execute_dft(plan, place, place);
    lines += now * plans_->length;
    number -= now;
  }
  return {};
}

std::string lines_by() {
  return fftw_version;
}

}  // namespace fft
