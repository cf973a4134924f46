// Memory for the frames of coroutines: free lists by size, so that nothing is allocated once a collective of a kind has
// run.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace polder::coll {

// One thread at a time. Must outlive the frames it gave.
class Frames {
 public:
  Frames() = default;
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  void* take(std::size_t bytes);
  static void give(void* frame);

  std::size_t in_use() const { return in_use_; }      // frames
  std::size_t reserved() const { return reserved_; }  // bytes

 private:
  static constexpr std::size_t kStep = 64, kLargest = 4096, kClasses = kLargest / kStep + 1;
  static constexpr std::size_t kFirstBlock = 4096, kLargestBlock = std::size_t{1} << 20;

  // Before each frame: whose it is, and how many steps long. 0: it came from the heap.
  struct alignas(16) Head {
    Frames* owner;
    std::size_t steps;
  };
  struct Free {
    Free* next;
  };

  void* carve(std::size_t bytes);

  Free* free_[kClasses] = {};
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* at_ = nullptr;
  std::size_t left_ = 0;
  std::size_t next_block_ = kFirstBlock;
  std::size_t reserved_ = 0;
  std::size_t in_use_ = 0;
};

}  // namespace polder::coll
