// A queue in one array that grows by doubling and is kept: in the long run it allocates nothing, which std::deque does
// every few elements.
#pragma once

#include "util/assert.hpp"

#include <cstddef>
#include <memory>
#include <utility>

namespace polder::util {

// Not thread safe. An element stays where it is until the next push_back.
template <class T>
class Fifo {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // REQUIRES: not empty.
  T& front() { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  void pop_front() {
    POLDER_ASSERT(!empty());
    first_ = (first_ + 1) & (room_ - 1);
    --size_;
  }

  // REQUIRES: i < size().
  T& operator[](std::size_t i) {
    POLDER_ASSERT(i < size_);
    return items_[(first_ + i) & (room_ - 1)];
  }

  void push_back(const T& item) {
    if (size_ == room_) grow();
    items_[(first_ + size_++) & (room_ - 1)] = item;
  }

  // What elements own stays until their places are used again: for values that own nothing.
  void clear() { first_ = size_ = 0; }

 private:
  void grow() {
    const std::size_t room = room_ == 0 ? 8 : 2 * room_;
    auto items = std::make_unique<T[]>(room);
    for (std::size_t i = 0; i < size_; ++i) items[i] = std::move((*this)[i]);
    items_ = std::move(items);
    room_ = room;
    first_ = 0;
  }

  std::unique_ptr<T[]> items_;
  std::size_t room_ = 0;  // a power of two
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace polder::util
