// Transforms of many lines or planes, by FFTW.
#pragma once

#include "exchange.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace fft {

// How long FFTW looks for the fastest way.
enum class Effort : std::uint8_t { estimate, measure };

// Lines of `length` elements, one behind the other, transformed in place, without a factor; or planes of `rows` such lines, which
// are transformed in both directions, one plane in the cache at a time. Plans are made when a number of lines first comes and kept.
class Lines {
 public:
  // unsupported: this program was built without FFTW.
  static Result<Lines> create(std::uint64_t length, bool inverse, Effort effort);
  static Result<Lines> create_planes(std::uint64_t rows, std::uint64_t length, bool inverse, Effort effort);
  Lines(Lines&&) noexcept;
  Lines& operator=(Lines&&) noexcept;
  ~Lines();

  // `number` lines, or planes. out_of_memory: FFTW has no plan.
  Status transform(Complex* lines, std::uint64_t number);

 private:
  struct Plans;
  explicit Lines(std::unique_ptr<Plans> plans);
  std::unique_ptr<Plans> plans_;
};

// "FFTW 3.3.10".
std::string lines_by();

}  // namespace fft
