#include "core/direct/update.hpp"

#include <bit>
#include <string>

namespace polder::core {
namespace {

Status check_word(const Update& update) {
  if (update.op > AtomicOp::fetch_xor)
    return {Code::invalid_argument, "atomic: there is no operation " + std::to_string(unsigned(update.op))};
  if (update.width > 8 || !std::has_single_bit(unsigned(update.width)))
    return {Code::invalid_size, "atomic: a word has 1, 2, 4 or 8 bytes, and not " + std::to_string(update.width)};
  return {};
}

Status check_element(const Update& update) {
  if (update.reduction == Reduction::axpy || !is_defined(update.reduction, update.type))
    return {Code::invalid_argument, "fetch_accumulate: " + std::string(to_string(update.reduction)) +
                                        " is not defined for " + std::string(to_string(update.type))};
  if (update.type == DataType::complex64 || update.type == DataType::complex128)
    return {Code::invalid_argument,
            "fetch_accumulate: " + std::string(to_string(update.type)) + " is no element of one word"};
  if (update.width != size_of(update.type))
    return {Code::invalid_size, "fetch_accumulate: an element of " + std::string(to_string(update.type)) + " has " +
                                    std::to_string(size_of(update.type)) + " bytes"};
  return {};
}

}  // namespace

Status check_update(const Update& update) {
  switch (update.kind) {
    case Update::Kind::word: return check_word(update);
    case Update::Kind::element: return check_element(update);
  }
  return {Code::invalid_argument, "atomic: neither of a word nor of an element"};
}

}  // namespace polder::core
