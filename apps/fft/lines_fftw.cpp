#include "lines.hpp"

#include <fftw3.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace fft {
namespace {

// FFTW makes plans one at a time in a process.
std::mutex& planning() {
  static std::mutex mutex;
  return mutex;
}

constexpr std::uint64_t kMostAtOnce = 64;  // lines of a plan; more go in several turns
constexpr auto kLargest = std::uint64_t(std::numeric_limits<int>::max());

Status too_large(const std::string& what) {
  return {Code::invalid_size, what + " elements are larger than FFTW takes"};
}

}  // namespace

struct Lines::Plans {
  // Of lines, or, with two extents, of planes.
  Plans(std::vector<int> e, bool back, Effort how) : extents(std::move(e)), inverse(back), effort(how) {
    for (const int extent : extents) elements *= std::uint64_t(extent);
  }
  ~Plans() {
    std::lock_guard lock(planning());
    for (const auto& [kind, plan] : plans) fftw_destroy_plan(plan);
  }

  // For so many lines that lie at `place`. A plan for memory that is aligned as vector units want it is up to three times as fast
  // as one for any; elements of 16 bytes nearly always are.
  fftw_plan of(std::uint64_t number, fftw_complex* place) {
    const bool aligned = fftw_alignment_of(reinterpret_cast<double*>(place)) == 0;
    const auto kind = std::pair(number, aligned);
    if (const auto known = plans.find(kind); known != plans.end()) return known->second;
    // Making a plan may overwrite what it is made for.
    const std::unique_ptr<fftw_complex[], void (*)(void*)> memory(fftw_alloc_complex(elements * number), fftw_free);
    if (memory == nullptr) return nullptr;
    auto* const lines = memory.get();
    const int distance = int(elements);
    std::lock_guard lock(planning());
    const fftw_plan plan =
        fftw_plan_many_dft(int(extents.size()), extents.data(), int(number), lines, nullptr, 1, distance, lines,
                           nullptr, 1, distance, inverse ? FFTW_BACKWARD : FFTW_FORWARD,
                           (effort == Effort::measure ? FFTW_MEASURE : FFTW_ESTIMATE) | (aligned ? 0 : FFTW_UNALIGNED));
    if (plan != nullptr) plans.emplace(kind, plan);
    return plan;
  }

  std::uint64_t most_at_once() const { return extents.size() > 1 ? 1 : kMostAtOnce; }

  const std::vector<int> extents;
  const bool inverse;
  const Effort effort;
  std::uint64_t elements = 1;  // of a line or plane
  std::map<std::pair<std::uint64_t, bool>, fftw_plan> plans;
};

Lines::Lines(std::unique_ptr<Plans> plans) : plans_(std::move(plans)) {}
Lines::Lines(Lines&&) noexcept = default;
Lines& Lines::operator=(Lines&&) noexcept = default;
Lines::~Lines() = default;

Result<Lines> Lines::create(std::uint64_t length, bool inverse, Effort effort) {
  if (length > kLargest) return too_large("lines of " + std::to_string(length));
  return Lines(std::make_unique<Plans>(std::vector<int>{int(length)}, inverse, effort));
}

Result<Lines> Lines::create_planes(std::uint64_t rows, std::uint64_t length, bool inverse, Effort effort) {
  if (length > kLargest || rows > kLargest || rows * length > kLargest)
    return too_large("planes of " + std::to_string(rows) + " x " + std::to_string(length));
  return Lines(std::make_unique<Plans>(std::vector<int>{int(rows), int(length)}, inverse, effort));
}

Status Lines::transform(Complex* lines, std::uint64_t number) {
  if (plans_->elements == 0) return {};
  while (number > 0) {
    const std::uint64_t now = std::min(number, plans_->most_at_once());
    auto* const place = reinterpret_cast<fftw_complex*>(lines);
    const fftw_plan plan = plans_->of(now, place);
    if (plan == nullptr)
      return {Code::out_of_memory, "FFTW has no plan for " + std::to_string(now) + " times " +
                                       std::to_string(plans_->elements) + " elements"};
    fftw_execute_dft(plan, place, place);
    lines += now * plans_->elements;
    number -= now;
  }
  return {};
}

std::string lines_by() {
  return fftw_version;
}

}  // namespace fft
