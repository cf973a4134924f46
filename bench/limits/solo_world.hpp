// A world of one pinned process, for measurements that need nobody else.
#pragma once

#include "common/cores.hpp"

#include <cstdint>

namespace bench {

class SoloWorld {
 public:
  explicit SoloWorld(int core) { pin_to(core); }
  int rank() const { return 0; }
  int size() const { return 1; }
  void barrier() {}
  std::uint64_t from_zero(std::uint64_t value) { return value; }
  std::uint64_t largest(std::uint64_t value) { return value; }
};

}  // namespace bench
