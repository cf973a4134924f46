// An extent of a field cut into as many ranges as there are members, as equal as can be; some are empty where there are
// more members than places.
#pragma once

#include <cstdint>

namespace fft {

struct Split {
  std::uint64_t extent = 0;
  std::uint64_t parts = 1;

  std::uint64_t begin(std::uint64_t part) const { return extent / parts * part + extent % parts * part / parts; }
  std::uint64_t count(std::uint64_t part) const { return begin(part + 1) - begin(part); }
  std::uint64_t most() const { return (extent + parts - 1) / parts; }
};

}  // namespace fft
