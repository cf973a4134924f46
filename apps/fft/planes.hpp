// Transforms of the lines of a plane, by FFTW.
#pragma once

#include "exchange.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace fft {

// How long FFTW looks for the fastest way.
enum class Effort : std::uint8_t { estimate, measure };

// Which lines of a plane: its rows, what lies across them, or all of both.
enum class Direction : std::uint8_t { along, across, both };

struct Plane {
  std::uint64_t rows = 0, length = 0;  // elements of a row
  std::uint64_t pitch = 0;             // elements from a row to the next
  Direction direction = Direction::along;
  bool in_place = true;
};

// Planes of one kind, transformed one at a time, so that it stays in the cache; without a factor. The plan is made once.
class Planes {
 public:
  // out_of_memory: FFTW has no plan. unsupported: this program was built without FFTW.
  static Result<Planes> create(const Plane& plane, bool inverse, Effort effort);
  Planes(Planes&&) noexcept;
  Planes& operator=(Planes&&) noexcept;
  ~Planes();

  // `from` stays as it is, unless `to` is the same. REQUIRES: that if and only if in_place; both are aligned to lines of the cache.
  void transform(Complex* from, Complex* to) const;

 private:
  struct Plan;
  explicit Planes(std::unique_ptr<Plan> plan);
  std::unique_ptr<Plan> plan_;
};

// "FFTW 3.3.10".
std::string lines_by();

}  // namespace fft
