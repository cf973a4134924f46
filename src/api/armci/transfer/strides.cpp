#include "api/armci/transfer/strides.hpp"

#include <string>

namespace polder::armci {

Result<Strides> Strides::make(const int* local, const int* remote, const int* count, int levels) {
  if (levels < 0 || std::size_t(levels) > Strided::kMaxLevels)
    return Status(Code::invalid_argument,
                  std::to_string(levels) + " stride levels: there are 0 to " + std::to_string(Strided::kMaxLevels));
  if (count == nullptr || (levels > 0 && (local == nullptr || remote == nullptr)))
    return Status(Code::invalid_argument, "the counts or strides are NULL");
  for (int level = 0; level <= levels; ++level)
    if (count[level] < 0)
      return Status(Code::invalid_argument, "count[" + std::to_string(level) + "] is " + std::to_string(count[level]));
  Strides strides;
  strides.bytes_ = std::size_t(count[0]);
  strides.empty_ = count[0] == 0;
  for (int level = 0; level < levels; ++level) strides.add(std::size_t(count[level + 1]), local[level], remote[level]);
  return strides;
}

void Strides::add(std::size_t count, std::ptrdiff_t local, std::ptrdiff_t remote) {
  if (count == 0) empty_ = true;
  if (count == 1) return;
  if (levels_ == 0 && local == std::ptrdiff_t(bytes_) && remote == local) {
    bytes_ *= count;
    return;
  }
  counts_[levels_] = count;
  local_[levels_] = local;
  remote_[levels_] = remote;
  ++levels_;
}

}  // namespace polder::armci
