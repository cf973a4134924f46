// A device made of two: one for the ranks of this node, which may load and store, and one for all others.
//
// The first call that names a peer decides which one it is. Every exposure is offered through both: the near device
// allocates, the far one is given that memory as if it were the user's, and the key holds both keys.
//
// Waiting. A thread cannot sleep on a futex and in epoll at the same time. So each half has a thread of its own: core's
// helper sleeps in the near device, and the first time it does so it starts a second one, which makes the far device's
// progress, sends what could not be sent before, and sleeps there. wake() is for the former: whatever it is woken for
// and finds no room for, the latter takes up when the far device has moved on.
//
// Messages. One peer's come by one half, which keeps their order whoever takes them. Those of both halves are delivered
// one at a time; a handler that makes progress finds nothing, as in any device. Once serving has been stopped they are
// dropped: whoever stops it may be a handler, for whose end nobody can wait.
#pragma once

#include "device/device.hpp"
#include "util/mutex.hpp"
#include "util/thread.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace polder::device::mixed {

class Route final : public Device {
 public:
  struct Parts {
    std::unique_ptr<Device> near;
    std::unique_ptr<Device> far;
    std::function<bool(Rank)> is_near;  // asked once for each peer, from any thread
    Rank ranks = 1;
    util::Clock clock = {};
  };
  explicit Route(Parts parts);
  ~Route() override;

  const Capabilities& capabilities() const override { return capabilities_; }

  bool is_direct(Rank peer) const override { return way_to(peer) == Way::near && near_->is_direct(peer); }

  std::vector<std::byte> address() const override;
  Status connect(Rank peer, std::span<const std::byte> address) override;
  void disconnect(Rank peer) override;
  void abandon(Rank peer) override;
  Result<Exposure> expose(void* memory, std::size_t size) override;
  Result<Exposure> expose_to_neighbours(std::size_t size) override;
  void conceal(const Exposure& exposure) override;
  bool open_window(const Exposure& exposure, std::uint64_t window, std::span<const MemoryRun> memory) override;
  void close_window(const Exposure& exposure, std::uint64_t window) override;
  void own(const void* memory, std::size_t size) override;
  void disown(const void* memory) override;
  Result<Region> import(Rank owner, const Key& key, const Region* replaces) override;

  Status put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override;
  Status get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override;
  Status put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                    const Flag& flag, CompletionSink* completion) override;
  Status atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion) override;
  Status send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body) override;
  int progress(MessageSink& sink) override;
  void wait(std::int64_t nanoseconds) override;
  void wait_alone(std::int64_t nanoseconds) override;
  SleptInWait sleep_in_wait(std::int64_t nanoseconds) override { return far_->sleep_in_wait(nanoseconds); }
  void wake() override;
  void fill_pages(bool begin) override;
  void poll_in_wait(bool begins) override;
  void stop_polling() override;
  void stop_serving() override;
  void retire() override;
  void on_failure(std::function<void(Rank, const Status&)> listener) override;
  void on_leave(const std::function<void(Rank)>& listener) override;

 private:
  enum class Way : std::uint8_t { unknown, near, far };

  // Both exposures of a piece of memory; far.data is null where there is none.
  struct Both {
    Exposure near, far;
  };

  // One message at a time, whichever half it came by.
  class OneAtATime final : public MessageSink {
   public:
    OneAtATime(MessageSink& sink, Route& route) : sink_(sink), route_(route) {}
    void deliver(Rank source, HandlerId handler, std::span<const std::byte> message) override;

   private:
    MessageSink& sink_;
    Route& route_;
  };

  Way way_to(Rank peer) const;
  Device& device_for(Rank peer) const { return way_to(peer) == Way::near ? *near_ : *far_; }
  Result<Exposure> remember(const Both& both);
  Exposure far_of(const Exposure& exposure);
  bool in_handler() const { return deliverer_.load(std::memory_order_relaxed) == util::this_thread(); }
  void serve_far();

  const std::unique_ptr<Device> near_, far_;
  const std::function<bool(Rank)> is_near_;
  Capabilities capabilities_;
  const util::Clock clock_;
  std::string name_;
  mutable std::vector<std::atomic<Way>> ways_;

  util::Mutex memory_mutex_;
  std::uint64_t next_handle_ = 1;
  std::unordered_map<std::uint64_t, Both> exposed_;

  util::Mutex delivering_;
  std::atomic<const void*> deliverer_{nullptr};  // who holds it
  bool is_given_back_ = false;                   // by its deliverer, which alone looks: it stops all in a handler
  std::atomic<MessageSink*> sink_{nullptr};
  std::once_flag far_started_;
  std::atomic<bool> stopping_{false};
  util::Thread far_thread_;
};

}  // namespace polder::device::mixed
