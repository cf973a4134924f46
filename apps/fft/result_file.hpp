// The result as a file: .npy, or nothing but complex numbers where the name does not end so.
#pragma once

#include "common/output_file.hpp"
#include "transform.hpp"

#include <string>
#include <vector>

namespace fft {

bool is_npy(const std::string& path);
// What comes before the elements.
std::string head_of_result(const std::string& path, const Extents& extents);
// This rank's elements, [z][y][x], to their places in row-major order.
Status write_result(const apps::File& file, std::uint64_t data_at, const Share& share,
                    const std::vector<Complex>& result);

}  // namespace fft
