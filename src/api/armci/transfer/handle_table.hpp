// From the 8 bytes of an armci_hdl_t to the operations behind it.
//
// A handle is 0 while nothing is under way: on memory that can be loaded and stored every operation ends in the call
// that posts it, and the table is never touched. Else it names a slot and the slot's age, so a handle that was copied,
// or not waited for, is never taken for another. The name stays until all that was posted with the handle has ended and
// its failure, if there is one, has been told.
#pragma once

#include "api/armci/symbols.hpp"

#include <polder/handle.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace polder::armci {

class HandleTable {
  static constexpr int kSlotBits = 16;

 public:
  // So many handles have names at a time.
  explicit HandleTable(std::size_t most = std::size_t{1} << kSlotBits) : most_(most) {}

  // Calls post(handle), which returns a Status, and remembers what is under way afterwards. Where there is no name left
  // it waits for that instead. What has failed by then, also of what was posted before with the same handle, is told
  // here and not once more by wait().
  template <class Posting>
  Status post(armci_hdl_t& named, Posting&& posting) {
    if (named.target != 0) [[unlikely]]
      return post_again(named, posting);
    Handle handle(kind_of(named));
    Status status = posting(handle);
    Status then = handle.idle() ? ended(handle) : keep(named, std::move(handle));
    return status.ok() ? then : status;
  }

  // As Handle::wait(); a handle behind which there is nothing any more is complete. The slot is free again unless the
  // wait timed out. invalid_argument: no call has ever filled in such a handle; it may not have been initialised.
  Status wait(armci_hdl_t& named, Timeout timeout);

  // Takes the names of all that has ended away: each such handle is complete. The first failure that was not told yet.
  Status end_all();

 private:
  struct Slot {
    const int index;
    Handle handle = Handle();
    Status failure = {};  // of operations that have ended, not told yet
    int age = 1;
    bool taken = false;
    bool lent = false;     // to a call, which has the handle
    bool wrapped = false;  // all ages have been used
  };
  // What a call has of a slot while it posts or waits, which is done without the lock.
  struct Lent {
    Handle handle;
    Status failure = {};
    Slot* slot = nullptr;  // null: nothing was behind the name
  };

  static Handle::Kind kind_of(const armci_hdl_t& named) {
    return named.aggregate != 0 ? Handle::Kind::aggregate : Handle::Kind::plain;
  }
  // REQUIRES: the handle is idle.
  static Status ended(Handle& handle) { return handle.wait(Completion::remote, Timeout::test()); }

  template <class Posting>
  Status post_again(armci_hdl_t& named, Posting&& posting) {
    Lent lent = lend(named);
    Status status = posting(lent.handle);
    if (status.ok()) status = std::move(lent.failure);
    Status then = lent.handle.idle() ? end(named, lent) : give_back(named, std::move(lent));
    return status.ok() ? then : status;
  }
  Lent lend(const armci_hdl_t& named);
  Status give_back(armci_hdl_t& named, Lent lent);
  Status end(armci_hdl_t& named, Lent& lent);
  Status keep(armci_hdl_t& named, Handle handle);
  void sweep();
  Slot* find(int name);
  Slot* free_slot();
  void release(Slot& slot);
  bool was_given(const armci_hdl_t& named);

  const std::size_t most_;
  std::mutex mutex_;
  std::deque<Slot> slots_;  // they stay where they are
  std::vector<Slot*> free_;
};

}  // namespace polder::armci
