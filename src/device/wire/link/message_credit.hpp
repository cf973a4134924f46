// How many bytes of messages may be on their way over a link, each way: a sender stops where the handlers of the peer do
// not keep up, and does not fill its memory. Credit-based flow control; counts wrap around.
#pragma once

#include <atomic>
#include <cstdint>

namespace polder::device::wire {

class MessageCredit {
 public:
  static constexpr std::uint32_t kRoom = 1 << 20;  // bytes of messages that no handler has taken yet

  // A new incarnation. Under both locks.
  void begin() {
    posted_ = told_ = 0;
    taken_by_peer_.store(0, std::memory_order_relaxed);
    taken_.store(0, std::memory_order_relaxed);
  }

  // ---- messages to the peer ----

  // Under the lock of the link. False: they must wait until the peer has taken more.
  bool post(std::uint32_t bytes) {
    const std::uint32_t untaken = posted_ - taken_by_peer_.load(std::memory_order_acquire);
    if (untaken + bytes > kRoom) return false;
    posted_ += bytes;
    return true;
  }
  // Under the device's lock: the peer says how many its handlers have taken since the beginning.
  void hear(std::uint32_t taken) { taken_by_peer_.store(taken, std::memory_order_release); }

  // ---- messages of the peer ----

  // Under the lock of the link: a handler here has taken one. True: the peer may wait for word of it.
  bool take(std::uint32_t bytes) {
    const std::uint32_t taken = taken_.fetch_add(bytes, std::memory_order_acq_rel) + bytes;
    return taken % (kRoom / 8) < bytes;
  }
  // Under the device's lock: goes out with the next frame.
  std::uint32_t tell() { return told_ = taken_.load(std::memory_order_acquire); }
  // Under the device's lock: bytes of which the peer has not been told.
  std::uint32_t untold() const { return taken_.load(std::memory_order_acquire) - told_; }

 private:
  std::uint32_t posted_ = 0;
  std::atomic<std::uint32_t> taken_by_peer_{0};
  std::atomic<std::uint32_t> taken_{0};
  std::uint32_t told_ = 0;
};

}  // namespace polder::device::wire
