#include "coll/model/phantom.hpp"

#include <sys/mman.h>

namespace polder::coll {

Phantom::Phantom() {
  void* const place = mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place != MAP_FAILED) base_ = static_cast<std::byte*>(place);
}

Phantom::~Phantom() {
  if (base_ != nullptr) munmap(base_, kBytes);
}

std::byte* Phantom::take(std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  if (bytes >= kBytes / 2) return base_;
  if (taken_ + bytes + kLine > kBytes) taken_ = 0;
  std::byte* const place = base_ + taken_;
  taken_ += (bytes + kLine) / kLine * kLine;
  return place;
}

}  // namespace polder::coll
