// What ARMCI_Malloc_local gave out, so that a wild pointer is not freed. Programs may call it before ARMCI_Init and
// after ARMCI_Finalize, so it belongs to the process.
#pragma once

#include <cstddef>
#include <mutex>
#include <set>

namespace polder::armci {

// Any thread.
class LocalBlocks {
 public:
  // Null: there is no such memory.
  void* allocate(std::size_t bytes);
  // False: it was never given out, or is free already.
  bool release(void* block);

 private:
  std::mutex mutex_;
  std::set<void*> blocks_;
};

LocalBlocks& local_blocks();

}  // namespace polder::armci
