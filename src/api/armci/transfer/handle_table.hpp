// From the 8 bytes of an armci_hdl_t to the operations behind it.
//
// A handle is 0 while nothing is under way: on memory that can be loaded and stored every operation ends in the call
// that posts it, and the table is never touched. Else it names a slot and the slot's age, so a handle that was copied,
// or not waited for, is never taken for another.
#pragma once

#include "api/armci/symbols.hpp"

#include <polder/handle.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstdint>
#include <mutex>
#include <vector>

namespace polder::armci {

class HandleTable {
 public:
  // Calls post(handle), which returns a Status, and remembers what is under way afterwards.
  template <class Posting>
  Status post(armci_hdl_t& named, Posting&& posting) {
    if (named.target != 0) [[unlikely]]
      return post_again(named, posting);
    Handle handle(kind_of(named));
    Status status = posting(handle);
    if (!handle.idle()) [[unlikely]]
      named.target = keep(std::move(handle));
    return status;
  }

  // As Handle::wait(); a handle behind which there is nothing any more is complete. The slot is free again unless the
  // wait timed out. invalid_argument: no call has ever filled in such a handle; it may not have been initialised.
  Status wait(armci_hdl_t& named, Timeout timeout);

 private:
  static constexpr int kSlotBits = 16;

  struct Slot {
    Handle handle;
    int age = 1;
    bool taken = false;
    bool wrapped = false;  // all ages have been used
  };

  static Handle::Kind kind_of(const armci_hdl_t& named) {
    return named.aggregate != 0 ? Handle::Kind::aggregate : Handle::Kind::plain;
  }
  template <class Posting>
  Status post_again(armci_hdl_t& named, Posting&& posting) {
    Handle handle = take(named.target, kind_of(named));
    Status status = posting(handle);
    named.target = handle.idle() ? 0 : keep(std::move(handle));
    return status;
  }
  Handle take(int name, Handle::Kind kind);
  int keep(Handle handle);
  void sweep();
  Slot* find(int name);
  void release(Slot& slot);
  bool was_given(const armci_hdl_t& named);

  std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<int> free_;
};

}  // namespace polder::armci
