#include "quantities.hpp"

#include <algorithm>
#include <charconv>

namespace polder::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 40, kMostValues = 64;

bool read_one(std::string_view word, std::size_t most, std::size_t& number) {
  unsigned shift = 0;
  if (!word.empty() && (word.back() == 'k' || word.back() == 'K')) shift = 10;
  if (!word.empty() && word.back() == 'M') shift = 20;
  if (!word.empty() && word.back() == 'G') shift = 30;
  if (shift != 0) word.remove_suffix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number > most >> shift) return false;
  number <<= shift;
  return true;
}

Status wrong(std::string_view text, std::size_t most) {
  return {Code::invalid_argument, "'" + std::string(text) + "' is no number up to " + std::to_string(most) +
                                      ", list of them (1,2,3) or range (2..16), of at most " +
                                      std::to_string(kMostValues)};
}

Result<std::vector<std::size_t>> read(std::string_view text, std::size_t least, std::size_t most) {
  std::vector<std::size_t> all;
  std::string_view rest = text;
  while (all.size() <= kMostValues) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const auto dots = word.find("..");
    std::size_t first = 0, last = 0;
    if (!read_one(word.substr(0, dots), most, first)) return wrong(text, most);
    if (dots == std::string_view::npos)
      last = first;
    else if (!read_one(word.substr(dots + 2), most, last) || first == 0 || last < first)
      return wrong(text, most);
    if (first < least) return wrong(text, most);
    for (std::size_t value = first; value < last; value *= 2) all.push_back(value);
    all.push_back(last);
    if (word.size() == rest.size()) break;
    rest.remove_prefix(word.size() + 1);
  }
  if (all.size() > kMostValues) return wrong(text, most);
  return all;
}

}  // namespace

Result<std::vector<std::size_t>> read_sizes(std::string_view text) {
  return read(text, 0, kMostBytes);
}

Result<std::vector<std::size_t>> read_counts(std::string_view text, std::size_t most) {
  return read(text, 1, most);
}

std::string print_bytes(std::size_t bytes) {
  constexpr std::pair<char, unsigned> kUnits[] = {{'G', 30}, {'M', 20}, {'k', 10}};
  for (const auto& [letter, shift] : kUnits)
    if (bytes != 0 && bytes % (std::size_t{1} << shift) == 0) return std::to_string(bytes >> shift) + letter;
  return std::to_string(bytes);
}

}  // namespace polder::cli
