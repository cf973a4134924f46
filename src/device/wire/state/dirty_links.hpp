// The links with something to send that nobody has looked at yet: marked by any thread, looked at by whoever holds the
// device's lock.
#pragma once

#include "device/wire/link/link.hpp"

#include <atomic>

namespace polder::device::wire {

// A list through the links themselves, of which each is in it once. All orders are sequentially consistent: a thread
// that finds the device's lock taken leaves its link here and goes, and the holder looks here once more after giving the
// lock back, so one of the two must see what the other has written.
class DirtyLinks {
 public:
  bool any(std::memory_order order = std::memory_order_relaxed) const { return first_.load(order) != nullptr; }

  void add(Link& link) {
    if (link.dirty_.exchange(true, std::memory_order_seq_cst)) return;
    Link* head = first_.load(std::memory_order_relaxed);
    do link.next_dirty_ = head;
    while (!first_.compare_exchange_weak(head, &link, std::memory_order_seq_cst, std::memory_order_relaxed));
  }

  // Calls `visit(link)` for each, and for those that are added meanwhile. One thread at a time. A link may be added again
  // as soon as its visit begins.
  template <class Visit>
  void take_all(Visit&& visit) {
    while (Link* link = first_.exchange(nullptr, std::memory_order_seq_cst)) {
      while (link != nullptr) {
        Link* next = link->next_dirty_;  // read first: it is another's once the link is no longer dirty
        link->dirty_.store(false, std::memory_order_seq_cst);
        visit(*link);
        link = next;
      }
    }
  }

 private:
  std::atomic<Link*> first_{nullptr};
};

}  // namespace polder::device::wire
