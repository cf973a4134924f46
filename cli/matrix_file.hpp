// Who sends how much to whom, from a file.
#pragma once

#include <polder/topology.hpp>

#include <string>

namespace polder::cli {

// invalid_argument: it cannot be read; the message names it and says why.
Result<std::string> whole_file(const std::string& path);

// CSV, or what `polder trace stats --json` printed: see matrix_pattern(), whose errors get the path in front.
Result<CommunicationPattern> read_matrix_file(const std::string& path);

}  // namespace polder::cli
