// The configuration: its defaults, and what values are possible (GASPI 17.1, section 5.2).
#pragma once

#include "api/gaspi/base/symbols.hpp"

namespace polder::gaspi {

inline constexpr unsigned kMaxQueues = 16;
inline constexpr unsigned kSegmentIds = 256;
inline constexpr unsigned kMaxSegments = 255;
inline constexpr unsigned kMaxGroups = 255;
inline constexpr unsigned kMaxListElements = 255;

gaspi_config_t default_configuration();

// What calls are held to. A maximum that the program has asked for is exact; one that it left alone is only what it can
// count on, and no wall.
struct Limits {
  explicit Limits(const gaspi_config_t& config);

  gaspi_size_t transfer_size;  // bytes
  gaspi_number_t allreduce_elements;
};

// GASPI_ERR_CONFIG, and a sentence that names the field, if a value is impossible.
gaspi_return_t check(const gaspi_config_t& config);

}  // namespace polder::gaspi
