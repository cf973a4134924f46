// An array of pointers that costs memory only where it is used. Reading takes two loads and no lock.
#pragma once

#include "util/assert.hpp"
#include "util/mutex.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace polder::util {

// Owns its elements until it is destroyed: an element, once inserted, is never moved or removed, so readers need no
// lock.
template <class T, std::size_t kChunk = 256>
class SparseTable {
 public:
  explicit SparseTable(std::size_t limit) : chunks_((limit + kChunk - 1) / kChunk), limit_(limit) {}
  ~SparseTable() {
    for (auto& chunk : chunks_) delete chunk.load(std::memory_order_relaxed);
  }
  SparseTable(const SparseTable&) = delete;
  SparseTable& operator=(const SparseTable&) = delete;

  std::size_t limit() const { return limit_; }

  // The element, or null where there is none. REQUIRES: index < limit().
  T* find(std::size_t index) const {
    POLDER_ASSERT(index < limit_);
    const Chunk* chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : chunk->slots[index % kChunk].load(std::memory_order_acquire);
  }

  // The element, made by `make()` (a unique_ptr<T>) if there is none yet; only one is ever made.
  template <class Make>
  T& find_or_insert(std::size_t index, Make&& make) {
    if (T* found = find(index)) return *found;
    std::lock_guard lock(mutex_);
    if (T* found = find(index)) return *found;
    auto& slot = chunk_for(index).slots[index % kChunk];
    // With release, after the element is whole: readers take no lock.
    slot.store(make().release(), std::memory_order_release);
    return *slot.load(std::memory_order_relaxed);
  }

  // Calls `visit(index, element)` for every element there is.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      const Chunk* chunk = chunks_[c].load(std::memory_order_acquire);
      if (chunk == nullptr) continue;
      for (std::size_t s = 0; s < kChunk; ++s)
        if (T* element = chunk->slots[s].load(std::memory_order_acquire)) visit(c * kChunk + s, *element);
    }
  }

 private:
  struct Chunk {
    std::array<std::atomic<T*>, kChunk> slots{};
    ~Chunk() {
      for (auto& slot : slots) delete slot.load(std::memory_order_relaxed);
    }
  };

  Chunk& chunk_for(std::size_t index) {
    auto& chunk = chunks_[index / kChunk];
    if (chunk.load(std::memory_order_relaxed) == nullptr) chunk.store(new Chunk, std::memory_order_release);
    return *chunk.load(std::memory_order_relaxed);
  }

  std::vector<std::atomic<Chunk*>> chunks_;
  std::size_t limit_;
  Mutex mutex_;
};

}  // namespace polder::util
