// The notation of a contraction, as NumPy's einsum has it for two operands: "abcd,cdij->abij".
#pragma once

#include <polder/status.hpp>

#include <string>
#include <string_view>

namespace contract {

using polder::Code;
using polder::Result;
using polder::Status;

// A letter for each index of each tensor. Letters may stand for several things at once:
//   in both operands and not in the result   summed over
//   in one operand and the result            free
//   in both operands and the result          kept apart: one product for each value
//   in one operand only                      summed over, in that operand
//   twice in an operand                      its diagonal
struct Notation {
  std::string first, second, result;
};

// Without "->" the result has every letter that occurs once, in the order of the alphabet, as in einsum. Spaces are
// skipped. What is no such notation is refused with a sentence that names it.
Result<Notation> parse_notation(std::string_view text);

}  // namespace contract
