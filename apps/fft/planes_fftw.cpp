#include "planes.hpp"

#include <fftw3.h>

#include <cstddef>
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

using Memory = std::unique_ptr<fftw_complex[], void (*)(void*)>;

fftw_iodim64 direction(std::uint64_t places, std::uint64_t stride) {
  return {std::ptrdiff_t(places), std::ptrdiff_t(stride), std::ptrdiff_t(stride)};
}

}  // namespace

struct Planes::Plan {
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    const std::lock_guard lock(planning());
    if (made != nullptr) fftw_destroy_plan(made);
  }
  fftw_plan made = nullptr;  // null: of nothing
};

Planes::Planes(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}
Planes::Planes(Planes&&) noexcept = default;
Planes& Planes::operator=(Planes&&) noexcept = default;
Planes::~Planes() = default;

Result<Planes> Planes::create(const Plane& plane, bool inverse, Effort effort) {
  auto plan = std::make_unique<Plan>();
  if (plane.rows == 0 || plane.length == 0) return Planes(std::move(plan));
  const fftw_iodim64 rows = direction(plane.rows, plane.pitch), row = direction(plane.length, 1);
  std::vector<fftw_iodim64> transformed, repeated;
  (plane.direction == Direction::along ? repeated : transformed).push_back(rows);
  (plane.direction == Direction::across ? repeated : transformed).push_back(row);
  const Status none(Code::out_of_memory, "FFTW has no plan for planes of " + std::to_string(plane.rows) + " x " +
                                             std::to_string(plane.length) + " elements");
  // Making a plan may overwrite what it is made for.
  const std::uint64_t room = plane.rows * plane.pitch;
  const Memory from(fftw_alloc_complex(room), fftw_free);
  const Memory to(plane.in_place ? nullptr : fftw_alloc_complex(room), fftw_free);
  if (from == nullptr || (to == nullptr && !plane.in_place)) return none;
  {
    const std::lock_guard lock(planning());
    plan->made =
        fftw_plan_guru64_dft(int(transformed.size()), transformed.data(), int(repeated.size()), repeated.data(),
                             from.get(), plane.in_place ? from.get() : to.get(), inverse ? FFTW_BACKWARD : FFTW_FORWARD,
                             effort == Effort::measure ? FFTW_MEASURE : FFTW_ESTIMATE);
  }
  if (plan->made == nullptr) return none;
  return Planes(std::move(plan));
}

void Planes::transform(Complex* from, Complex* to) const {
  if (plan_->made == nullptr) return;
  fftw_execute_dft(plan_->made, reinterpret_cast<fftw_complex*>(from), reinterpret_cast<fftw_complex*>(to));
}

std::string lines_by() {
  return fftw_version;
}

}  // namespace fft
