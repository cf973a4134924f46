// A line of numbers.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace kmeans {

// The numbers of a line without its end. Between them: one comma, semicolon or tab, or spaces. False: field `wrong`, counted
// from 1, is no number.
bool parse_numbers(std::string_view line, std::vector<double>& numbers, std::size_t& wrong);

}  // namespace kmeans
