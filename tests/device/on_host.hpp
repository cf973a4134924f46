// A device that lives on another host of a testnet, though its rank is a thread of this process: whatever thread calls
// it is in the network of that host during the call. Sockets belong to the network in which they are made.
#pragma once

#include "device/device.hpp"
#include "util/fd.hpp"

#include <fcntl.h>
#include <sched.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace polder::device::contract {

// A network namespace, by the path under which the kernel names it.
class HostNetwork {
 public:
  explicit HostNetwork(const std::string& path) : namespace_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!namespace_) give_up(path.c_str());
  }

  // This thread is there until the end of the scope.
  class Visit {
   public:
    explicit Visit(const HostNetwork& network) : before_(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)) {
      if (!before_ || ::setns(network.namespace_.get(), CLONE_NEWNET) != 0) give_up("the network of a host");
    }
    ~Visit() {
      if (::setns(before_.get(), CLONE_NEWNET) != 0) give_up("the network that this thread came from");
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    util::Fd before_;
  };

 private:
  // No test means anything in the wrong network.
  [[noreturn]] static void give_up(const char* what) {
    std::fprintf(stderr, "cannot enter %s: %s\n", what, std::strerror(errno));
    std::abort();
  }

  util::Fd namespace_;
};

class OnHost final : public Device {
 public:
  // `make()` is called there.
  template <class Make>
  static Result<std::unique_ptr<Device>> create(const std::string& network, Make&& make) {
    auto host = std::make_unique<HostNetwork>(network);
    auto made = [&] {
      const HostNetwork::Visit visit(*host);
      return make();
    }();
    if (!made.ok()) return made;
    return std::unique_ptr<Device>(new OnHost(std::move(host), *std::move(made)));
  }
  ~OnHost() override {
    const HostNetwork::Visit visit(*host_);
    device_.reset();
  }

  const Capabilities& capabilities() const override { return device_->capabilities(); }
  std::vector<std::byte> address() const override { return device_->address(); }
  Status connect(Rank peer, std::span<const std::byte> address) override { return there()->connect(peer, address); }
  void disconnect(Rank peer) override { there()->disconnect(peer); }
  void abandon(Rank peer) override { there()->abandon(peer); }
  bool open_window(const Exposure& exposure, std::uint64_t window, std::span<const MemoryRun> memory) override {
    return there()->open_window(exposure, window, memory);
  }
  void close_window(const Exposure& exposure, std::uint64_t window) override {
    there()->close_window(exposure, window);
  }
  Result<Exposure> expose(void* memory, std::size_t size) override { return there()->expose(memory, size); }
  Result<Exposure> expose_to_neighbours(std::size_t size) override { return there()->expose_to_neighbours(size); }
  void conceal(const Exposure& exposure) override { there()->conceal(exposure); }
  Result<Region> import(Rank owner, const Key& key, const Region* replaces) override {
    return there()->import(owner, key, replaces);
  }
  bool is_direct(Rank peer) const override { return device_->is_direct(peer); }
  Status put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override {
    return there()->put(peer, region, pieces, completion);
  }
  Status get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override {
    return there()->get(peer, region, pieces, completion);
  }
  Status put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                    const Flag& flag, CompletionSink* completion) override {
    return there()->put_notify(peer, region, pieces, control, flag, completion);
  }
  Status atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion) override {
    return there()->atomic(peer, region, request, completion);
  }
  Status send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body) override {
    return there()->send(peer, handler, head, body);
  }
  int progress(MessageSink& sink) override { return there()->progress(sink); }
  void wait(std::int64_t nanoseconds) override { there()->wait(nanoseconds); }
  void wait_alone(std::int64_t nanoseconds) override { there()->wait_alone(nanoseconds); }
  void poll_in_wait(bool begins) override { device_->poll_in_wait(begins); }
  SleptInWait sleep_in_wait(std::int64_t nanoseconds) override { return there()->sleep_in_wait(nanoseconds); }
  void own(const void* memory, std::size_t size) override { device_->own(memory, size); }
  void disown(const void* memory) override { device_->disown(memory); }
  void fill_pages(bool begin) override { device_->fill_pages(begin); }
  void wake() override { device_->wake(); }
  void stop_polling() override { device_->stop_polling(); }
  void stop_serving() override { there()->stop_serving(); }
  void on_failure(std::function<void(Rank, const Status&)> listener) override {
    device_->on_failure(std::move(listener));
  }
  void on_leave(const std::function<void(Rank)>& listener) override { device_->on_leave(listener); }

 private:
  // The device, and a visit for as long as the expression lasts.
  struct There {
    HostNetwork::Visit visit;
    Device* device;
    Device* operator->() const { return device; }
  };
  There there() const { return {HostNetwork::Visit(*host_), device_.get()}; }

  OnHost(std::unique_ptr<HostNetwork> host, std::unique_ptr<Device> device)
      : host_(std::move(host)), device_(std::move(device)) {}

  std::unique_ptr<HostNetwork> host_;
  std::unique_ptr<Device> device_;
};

}  // namespace polder::device::contract
