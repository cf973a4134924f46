// Read-modify-write of one word or one element, apart from where it lies.
#pragma once

#include <polder/accumulate.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>

namespace polder::core {

struct Update {
  // word: an AtomicOp on unsigned integers. element: a Reduction of elements of a type, which accumulates see as well.
  enum class Kind : std::uint8_t { word, element };

  Kind kind = Kind::word;
  AtomicOp op = AtomicOp::fetch_add;
  Reduction reduction = Reduction::sum;
  DataType type = DataType::uint64;
  std::uint8_t width = 8;     // bytes: 1, 2, 4 or 8
  std::uint64_t operand = 0;  // its low `width` bytes
  std::uint64_t compare = 0;  // of compare_swap

  static Update of_word(AtomicOp op, std::size_t width, std::uint64_t operand, std::uint64_t compare) {
    return {.op = op, .width = std::uint8_t(width < 255 ? width : 255), .operand = operand, .compare = compare};
  }
  static Update of_element(Reduction reduction, DataType type, std::uint64_t operand) {
    return {.kind = Kind::element,
            .reduction = reduction,
            .type = type,
            .width = std::uint8_t(size_of(type)),
            .operand = operand};
  }

  // Devices know words of 4 and 8 bytes; the rest is done by message.
  bool devices_know() const { return kind == Kind::word && width >= 4; }
};

// Success, or what is wrong with it: from callers, and from peers.
Status check_update(const Update& update);

}  // namespace polder::core
