// Handles: waiting for some operations and not for all of a queue.
//
//   polder::Handle handle;
//   rt.get(buffer, there, bytes, handle);       // posts
//   compute();
//   Status status = handle.wait(Completion::local, 1s);   // buffer is filled
//
// A handle counts what was posted with it. It may be used again and again, for one operation or for many, also before
// it has been waited for. On memory that this rank loads and stores it stays empty: posting completes, wait() is a
// comparison, and nothing was allocated.
#pragma once

#include <polder/export.hpp>
#include <polder/queue.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <utility>

namespace polder {

namespace core {
class HandleState;
}

// Posted with and waited for by one thread at a time, as a container of the standard library is used. Must not outlive its runtime; may die, or be
// moved to, before its operations have ended: they go on and nobody waits for them. Of those that fail after its end
// the queue tells, or a continuation that it has left; a failure that it knew and did not tell goes with it.
class POLDER_API Handle {
 public:
  // An *aggregate* may keep small contiguous puts and gets to one segment of one peer back until 32 of them can travel
  // as one operation: until then, until an operation goes elsewhere, or until somebody waits: for the handle, for a
  // fence, for the runtime, for a queue. The local memory must stay untouched until then, as ever. What finds no room in
  // the network in time stays kept back: then a wait returns timeout, and a post that it must not overtake queue_full.
  // The end of the handle waits for room.
  enum class Kind : unsigned char { plain, aggregate };

  explicit Handle(Kind kind = Kind::plain) : kind_(kind) {}
  ~Handle() { release(); }
  Handle(Handle&& other) noexcept : state_(std::exchange(other.state_, nullptr)), kind_(other.kind_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(state_, other.state_);
    std::swap(kind_, other.kind_);
    return *this;
  }

  Kind kind() const { return kind_; }

  // Waits until all that was posted with this handle is complete: locally (the memory here is the caller's again, or
  // filled) or remotely (visible at the target). Timeout::test() looks once, making progress. timeout: something is
  // still under way; wait again. peer_failed and others: all has ended, and something failed since the last wait; each
  // failure is reported once, here and not by the queue.
  Status wait(Completion completion, Timeout timeout) {
    if (completion > Completion::remote) [[unlikely]]
      return check(completion);
    return state_ == nullptr ? Status() : wait_for_state(completion, timeout);
  }

  // Nothing posted with it is under way. Makes no progress, and says nothing about failures.
  bool idle() const { return state_ == nullptr || state_is_idle(); }

 private:
  friend class core::HandleState;
  Status wait_for_state(Completion completion, Timeout timeout);
  bool state_is_idle() const;
  void release();

  core::HandleState* state_ = nullptr;  // made when something is posted that does not complete at once
  Kind kind_;
};

}  // namespace polder
