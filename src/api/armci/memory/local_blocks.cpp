#include "api/armci/memory/local_blocks.hpp"

#include <cstdint>
#include <cstdlib>

namespace polder::armci {
namespace {

constexpr std::size_t kAlignment = 64;

}  // namespace

void* LocalBlocks::allocate(std::size_t bytes) {
  if (bytes > PTRDIFF_MAX - kAlignment) return nullptr;
  void* const block = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (block == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  blocks_.insert(block);
  return block;
}

bool LocalBlocks::release(void* block) {
  {
    const std::lock_guard lock(mutex_);
    if (blocks_.erase(block) == 0) return false;
  }
  std::free(block);
  return true;
}

// Never destroyed: a destructor of the program may still free what it has.
LocalBlocks& local_blocks() {
  static LocalBlocks& blocks = *new LocalBlocks;
  return blocks;
}

}  // namespace polder::armci
