// In the place of planes_fftw.cpp where FFTW was not there when this was built.
#include "planes.hpp"

namespace fft {

struct Planes::Plan {};

Planes::Planes(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}
Planes::Planes(Planes&&) noexcept = default;
Planes& Planes::operator=(Planes&&) noexcept = default;
Planes::~Planes() = default;

Result<Planes> Planes::create(const Plane&, bool, Effort) {
  return Status(
      Code::unsupported,
      "this fft was built without FFTW: install it (tools/setup build; Debian's libfftw3-dev) and build again");
}

void Planes::transform(Complex*, Complex*) const {}

std::string lines_by() {
  return "nothing";
}

}  // namespace fft
