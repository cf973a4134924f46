// The directory with the names that builds of existing GASPI programs look for.
#pragma once

#include <filesystem>
#include <vector>

namespace polder::cli {

// Where it may lie, wherever the tree was moved: beside this executable, in an installed tree or in a build folder.
std::vector<std::filesystem::path> gpi2_candidates();

// The first that is there; empty: none is.
std::filesystem::path gpi2_directory();

}  // namespace polder::cli
