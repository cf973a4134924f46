#include "csv_line.hpp"

#include <charconv>

namespace kmeans {
namespace {

constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

const char* past_spaces(const char* at, const char* end) {
  while (at != end && is_space(*at)) ++at;
  return at;
}

}  // namespace

bool parse_numbers(std::string_view line, std::vector<double>& numbers, std::size_t& wrong) {
  numbers.clear();
  const char* const end = line.data() + line.size();
  const char* at = past_spaces(line.data(), end);
  while (at != end) {
    wrong = numbers.size() + 1;
    double number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return false;
    at = past_spaces(after, end);
    const bool separated = at != end && (*at == ',' || *at == ';');
    if (at == after && at != end && !separated) return false;  // "1x"
    if (separated) {
      at = past_spaces(at + 1, end);
      if (at == end) return ++wrong, false;  // nothing after the last comma
    }
    numbers.push_back(number);
  }
  return true;
}

}  // namespace kmeans
