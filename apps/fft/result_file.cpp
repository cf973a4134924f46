#include "result_file.hpp"

#include "common/npy.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace fft {

bool is_npy(const std::string& path) {
  return path.ends_with(".npy");
}

std::string head_of_result(const std::string& path, const Extents& extents) {
  if (!is_npy(path)) return {};
  return apps::npy_head(apps::Number::complex128, apps::Shape(extents.begin(), extents.end()));
}

// A plane of one x at a time; where a rank has all of z it is one piece of the file.
Status write_result(const apps::File& file, std::uint64_t data_at, const Share& share, const Complex* result) {
  const std::uint64_t nx = share.extents[0], ny = share.own_result_y(), nz = share.own_z();
  if (ny == 0 || nz == 0) return {};
  const std::uint64_t y0 = share.y_of_result.begin(share.row), z0 = share.z.begin(share.column);
  const bool whole = nz == share.extents[2];
  std::vector<Complex> plane(ny * nz);
  for (std::uint64_t x = 0; x < nx; ++x) {
    for (std::uint64_t y = 0; y < ny; ++y) std::copy_n(result + share.line_of_result(y, x), nz, plane.data() + y * nz);
    const std::uint64_t rows = whole ? 1 : ny, length = plane.size() / rows;
    for (std::uint64_t row = 0; row < rows; ++row) {
      const std::uint64_t first = (x * share.extents[1] + y0 + row) * share.extents[2] + z0;
      const auto bytes = std::as_bytes(std::span(plane.data() + row * length, length));
      if (Status status = file.write_at(data_at + first * sizeof(Complex), bytes); !status.ok()) return status;
    }
  }
  return {};
}

}  // namespace fft
