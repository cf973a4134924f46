// The port of collectives whose members do not wait for each other: memory that each member shows to the others for a
// while, with flags beside it. Two implementations: coll/window/window.hpp over one-sided operations of any device, and
// coll/model/window_model.hpp in virtual time. The same object code of an algorithm runs over both.
//
// Nothing here waits. What has no room now is refused and asked for again.
#pragma once

#include "util/clock.hpp"

#include <polder/handle.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace polder::coll {

class WindowPort {
 public:
  WindowPort(const WindowPort&) = delete;
  WindowPort& operator=(const WindowPort&) = delete;

  Rank me() const { return me_; }
  Rank size() const { return size_; }
  std::byte* own() const { return memory_; }
  // Whether this rank's flag has that value; what its writer stored before is visible then.
  bool is_raised(NotificationId flag, std::uint32_t value) const { return value_of(flag) == value; }
  std::uint32_t value_of(NotificationId flag) const { return flags_[flag].load(std::memory_order_acquire); }
  // No flag from this one on has ever been raised here, and all members live. False also where nobody knows.
  virtual bool is_quiet(NotificationId /*first*/) const { return false; }

  // Of the job.
  virtual Rank rank_of(Rank member) const = 0;
  // It has died or left the job, or it has given its window back.
  virtual bool is_gone(Rank member) const = 0;
  virtual bool has_died(Rank member) const = 0;

  // What is posted from now on belongs to it. REQUIRES: it is one of those that the window was made with.
  virtual void use_stream(unsigned stream) = 0;
  // All of this stream has arrived, so later flags cannot be overtaken by it.
  virtual bool is_drained() const = 0;

  // ---- posting; false: there is no room now, come again. What goes to one that is gone is dropped. ----
  // `data` stays until it is overwritten at the target: it is read at any time until then.
  virtual bool put(Rank member, std::uint64_t offset, const void* data, std::size_t bytes,
                   const Notification& flag) = 0;
  virtual bool raise(Rank member, NotificationId flag, std::uint32_t value) = 0;
  virtual bool get(void* into, Rank member, std::uint64_t offset, std::size_t bytes, Handle& handle) = 0;
  virtual bool compare_swap(std::uint64_t& old, Rank member, std::uint64_t offset, std::uint64_t expected,
                            std::uint64_t desired, Handle& handle) = 0;

  enum class Fetched : std::uint8_t { under_way, yes, failed };
  // Of what was posted with it to `member`. failed: the member is gone, as far as this window goes.
  virtual Fetched look_at(Handle& handle, Rank member) = 0;

  // Why nothing can go on: the runtime is closed, or something that is no death went wrong.
  virtual Status trouble() const = 0;
  virtual util::Clock clock() const = 0;

 protected:
  WindowPort(Rank me, Rank size) : me_(me), size_(size) {}
  ~WindowPort() = default;
  // Before anything of it is asked for.
  void show(std::byte* memory, const std::atomic<std::uint32_t>* flags) { memory_ = memory, flags_ = flags; }

 private:
  const Rank me_, size_;
  std::byte* memory_ = nullptr;
  const std::atomic<std::uint32_t>* flags_ = nullptr;
};

}  // namespace polder::coll
