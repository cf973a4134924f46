// A buffer whose bytes do not lie in one piece, and the memory in which a collective has them one behind the other.
#pragma once

#include "coll/port/pieces.hpp"

#include <polder/collective.hpp>
#include <polder/status.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace polder::coll {

class BlockLayout {
 public:
  // What is wrong with these pieces; bytes: of all together, extent: from the buffer's beginning to their end.
  struct Extent {
    std::size_t bytes = 0, extent = 0;
  };
  static Result<Extent> measure(std::span<const StridedPart> pieces);

  bool used() const { return used_; }
  // Of a buffer of the user. REQUIRES: measure() finds nothing wrong.
  void lay_out(void* buffer, std::span<const StridedPart> pieces);
  void clear() { used_ = false; }

  const Pieces& pieces() const { return pieces_; }
  // For algorithms that need them one behind the other; costs memory from the first call on.
  std::byte* packed();
  void gather();                    // into packed()
  void scatter(std::size_t bytes);  // so many of packed(), from the first on

 private:
  bool used_ = false;
  Pieces pieces_;
  std::vector<std::byte> packed_;
};

}  // namespace polder::coll
