// Sizes and numbers of ranks on the command line: one, a list, or a range that doubles.
#pragma once

#include <polder/status.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace polder::cli {

constexpr std::size_t kMostSimulated = 1'000'000;  // ranks

// "8", "64k", "1k,3k", "8..64M"; up to 64 of them, each up to 1T. The error names the word.
Result<std::vector<std::size_t>> read_sizes(std::string_view text);
// "16", "2,3,5", "2..4096"; each from 1 to `most`.
Result<std::vector<std::size_t>> read_counts(std::string_view text, std::size_t most);
// "64k"
std::string print_bytes(std::size_t bytes);

}  // namespace polder::cli
