// Addresses without memory behind them, for vectors whose contents the model leaves out: algorithms reckon with them and
// tell them apart, and whoever reads or writes there after all ends the process.
#pragma once

#include "util/platform.hpp"

#include <cstddef>

namespace polder::coll {

class Phantom {
 public:
  // Of a process that may not reserve so many addresses, one that has none: base() is null.
  Phantom();
  ~Phantom();
  Phantom(const Phantom&) = delete;
  Phantom& operator=(const Phantom&) = delete;

  std::byte* base() const { return base_; }
  // The next `bytes` of them; after the last ones come the first ones again.
  std::byte* take(std::size_t bytes);

 private:
  // The thread sanitizer, whose shadows lie beside what they are of, has no place for more.
  static constexpr std::size_t kBytes = std::size_t{1} << (util::kThreadSanitizer ? 39 : 42);
  std::byte* base_ = nullptr;
  std::size_t taken_ = 0;
};

}  // namespace polder::coll
