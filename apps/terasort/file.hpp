// Files of records.
#pragma once

#include "common/file.hpp"

#include <cstdint>

namespace terasort {

using apps::File;
using apps::file_error;
using polder::Code;
using polder::Result;
using polder::Status;

// Size in records; an error if it is not a multiple of 100 bytes.
Result<std::uint64_t> record_count(const File& file);

}  // namespace terasort
