// Memory of a collective for its own use. What one has taken the next one of the lane takes again.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace polder::coll {

class Scratch {
 public:
  // 64-byte aligned, until reset().
  std::byte* take(std::size_t bytes);
  void reset();

 private:
  static constexpr std::size_t kAlignment = 64, kKept = std::size_t{16} << 20;
  struct Free {
    void operator()(std::byte* block) const { ::operator delete[](block, std::align_val_t{kAlignment}); }
  };
  struct Block {
    std::unique_ptr<std::byte[], Free> data;
    std::size_t size = 0;
  };
  std::vector<Block> blocks_;
  std::size_t block_ = 0, used_ = 0;  // of that block
};

}  // namespace polder::coll
