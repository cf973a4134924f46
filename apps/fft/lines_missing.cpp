// In the place of lines_fftw.cpp where FFTW was not there when this was built.
#include "lines.hpp"

namespace fft {

struct Lines::Plans {};

Lines::Lines(std::unique_ptr<Plans> plans) : plans_(std::move(plans)) {}
Lines::Lines(Lines&&) noexcept = default;
Lines& Lines::operator=(Lines&&) noexcept = default;
Lines::~Lines() = default;

Result<Lines> Lines::create(std::uint64_t, bool, Effort) {
  return Status(
      Code::unsupported,
      "this fft was built without FFTW: install it (tools/setup build; Debian's libfftw3-dev) and build again");
}

Result<Lines> Lines::create_planes(std::uint64_t, std::uint64_t length, bool inverse, Effort effort) {
  return create(length, inverse, effort);
}

Status Lines::transform(Complex*, std::uint64_t) {
  return {};
}

std::string lines_by() {
  return "nothing";
}

}  // namespace fft
