#include "coll/task/frames.hpp"

#include <algorithm>
#include <new>

namespace polder::coll {

void* Frames::take(std::size_t bytes) {
  const std::size_t steps = (bytes + sizeof(Head) + kStep - 1) / kStep;
  ++in_use_;
  if (steps >= kClasses) return new (::operator new(bytes + sizeof(Head))) Head{this, 0} + 1;
  void* place = free_[steps];
  if (place != nullptr)
    free_[steps] = free_[steps]->next;
  else
    place = carve(steps * kStep);
  return new (place) Head{this, steps} + 1;
}

void Frames::give(void* frame) {
  Head* const head = static_cast<Head*>(frame) - 1;
  Frames& owner = *head->owner;
  const std::size_t steps = head->steps;
  --owner.in_use_;
  if (steps == 0) return ::operator delete(head);
  owner.free_[steps] = new (head) Free{owner.free_[steps]};
}

void* Frames::carve(std::size_t bytes) {
  if (left_ < bytes) {
    const std::size_t block = std::max(next_block_, bytes);
    next_block_ = std::min(2 * next_block_, kLargestBlock);
    blocks_.emplace_back(new std::byte[block]);
    at_ = blocks_.back().get();
    left_ = block;
    reserved_ += block;
  }
  std::byte* const place = at_;
  at_ += bytes;
  left_ -= bytes;
  return place;
}

}  // namespace polder::coll
