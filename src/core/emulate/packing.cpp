#include "core/emulate/packing.hpp"

namespace polder::core {

void RunList::add(std::uint64_t remote, std::uint32_t bytes) {
  if (count_ != 0) {
    PackedRun& last = runs_[count_ - 1];
    const std::uint64_t next = last.remote + std::uint64_t(last.stride) * last.count;
    if (last.bytes == bytes && last.count != UINT32_MAX && (last.count == 1 || next == remote)) {
      if (last.count == 1) last.stride = std::int64_t(remote - last.remote);
      ++last.count;
      return;
    }
  }
  runs_[count_++] = {.remote = remote, .stride = 0, .bytes = bytes, .count = 1};
}

}  // namespace polder::core
