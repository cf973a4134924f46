// The result as a file: .npy, or nothing but complex numbers where the name does not end so.
#pragma once

#include "common/output_file.hpp"
#include "share.hpp"

#include <cstdint>
#include <string>

namespace fft {

using apps::Status;

bool is_npy(const std::string& path);
// What comes before the elements.
std::string head_of_result(const std::string& path, const Extents& extents);
// This rank's elements to their places in row-major order.
Status write_result(const apps::File& file, std::uint64_t data_at, const Share& share, const Complex* result);

}  // namespace fft
