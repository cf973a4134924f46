#include "coll/task/task.hpp"

#include <utility>

namespace polder::coll {

bool Strand::advance() {
  while (top_ != nullptr) {
    if (wait_ != nullptr && !wait_->ready()) return false;
    wait_ = nullptr;
    Task::Handle::from_promise(*top_).resume();
    if (std::exchange(ended_, false)) leave();
  }
  return true;
}

void Strand::leave() {
  Task::promise_type* const caller = top_->caller;
  Task::Handle::from_promise(*top_).destroy();
  top_ = caller;
}

void Strand::abandon() {
  wait_ = nullptr;
  while (top_ != nullptr) leave();
}

}  // namespace polder::coll
