// A file of ratings, read by all ranks, each a part of it.
#pragma once

#include "common/team.hpp"
#include "rating.hpp"
#include "rating_lines.hpp"

#include <string>
#include <vector>

namespace mf {

// Collective. The ratings of this rank's part, in the file's order. With `wants_value` false lines may end after the
// item. An error names the file, the line and the column.
Result<std::vector<Rating>> read_ratings(const apps::Team& team, const std::string& path, bool wants_value);

}  // namespace mf
