#include "notation.hpp"

#include <algorithm>
#include <cctype>

namespace contract {
namespace {

Status refused(std::string_view text, const std::string& why) {
  return {Code::invalid_argument, "'" + std::string(text) + "': " + why};
}

std::string without_spaces(std::string_view text) {
  std::string packed(text);
  std::erase_if(packed, [](unsigned char c) { return std::isspace(c) != 0; });
  return packed;
}

// Every letter that occurs once in both operands together.
std::string implied_result(const std::string& operands) {
  std::string result;
  for (const char letter : operands)
    if (std::ranges::count(operands, letter) == 1) result += letter;
  std::ranges::sort(result);
  return result;
}

}  // namespace

Result<Notation> parse_notation(std::string_view text) {
  const std::string packed = without_spaces(text);
  const std::size_t arrow = packed.find("->"), end = std::min(arrow, packed.size());
  const std::size_t comma = packed.find(',');
  if (comma >= end) return refused(text, "two operands are wanted, with a comma between, as in 'ik,kj->ij'");
  Notation notation{packed.substr(0, comma), packed.substr(comma + 1, end - comma - 1), ""};
  const std::string operands = notation.first + notation.second;
  notation.result = arrow == std::string::npos ? implied_result(operands) : packed.substr(arrow + 2);
  if (packed.find("...") != std::string::npos) return refused(text, "'...' is not supported; name every index");
  for (const char c : operands + notation.result)
    if (std::isalpha(static_cast<unsigned char>(c)) == 0)
      return refused(text, std::string("'") + c + "' is no index; letters are wanted");
  for (const char letter : notation.result) {
    if (operands.find(letter) == std::string::npos)
      return refused(text, std::string("the result has the index '") + letter + "', and no operand has it");
    if (std::ranges::count(notation.result, letter) > 1)
      return refused(text, std::string("the result has the index '") + letter + "' twice");
  }
  return notation;
}

}  // namespace contract
