// Which bytes a transfer moves: the elements of two types, each in its own order.
#pragma once

#include "api/dart/symbols.hpp"
#include "api/dart/transfer/datatype.hpp"

#include <polder/shape.hpp>
#include <polder/status.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace polder::dart {

// The blocks of one side, one behind the other.
class BlockCursor {
 public:
  BlockCursor(dart_datatype_t type, std::size_t elements);

  // Where the next bytes lie, counted from the beginning of that side, and how many of them lie together.
  std::size_t offset() const { return offset_; }
  std::size_t left() const { return left_; }
  void advance(std::size_t bytes);

 private:
  void enter();

  const DerivedType* const type_;
  std::size_t element_ = 1;
  std::size_t block_ = 0;  // which one
  std::size_t offset_ = 0, left_ = 0;
};

// Neither needs memory; those in one piece on both sides are the common case and not of this class.
class TransferShape {
 public:
  // The bytes of `elements` elements of the base type. invalid_argument: no such types, types of different base, or a
  // number of elements that does not fill the blocks of one side. invalid_size: they, or what lies between them on one
  // side, are more bytes than 64 bits count.
  static Status check(std::size_t elements, dart_datatype_t local, dart_datatype_t remote, std::size_t& bytes);

  TransferShape(std::size_t elements, dart_datatype_t local, dart_datatype_t remote, std::size_t bytes)
      : local_(local, elements), remote_(remote, elements), bytes_(bytes) {}

  // The next pieces, at most kPieces; none: all have been. Valid until the next call.
  std::span<const ListItem> next();

 private:
  static constexpr std::size_t kPieces = 4096;

  BlockCursor local_, remote_;
  std::size_t bytes_;
  std::vector<ListItem> items_;
};

// The bytes up to the last that a side touches; nothing: more than 64 bits count.
std::optional<std::size_t> span_of(std::size_t elements, dart_datatype_t type);

}  // namespace polder::dart
