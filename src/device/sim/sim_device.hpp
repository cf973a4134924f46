// A rank of a simulated network: forwards to the fabric that it shares with the others.
//
// Set-up is in setup.cpp and memory.cpp, the data path in transfer.cpp and message.cpp.
#pragma once

#include "device/device.hpp"
#include "device/sim/fabric.hpp"
#include "util/mutex.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace polder::device::sim {

class SimDevice final : public Device {
 public:
  // Made by Fabric::device().
  SimDevice(std::shared_ptr<Fabric> fabric, Rank rank);
  // Ends what is under way with `closed`; no callback runs once it returns. Not to be called from a callback.
  ~SimDevice() override;

  const Capabilities& capabilities() const override { return capabilities_; }
  bool is_direct(Rank peer) const override;

  std::vector<std::byte> address() const override;
  Status connect(Rank peer, std::span<const std::byte> address) override;
  void disconnect(Rank peer) override;
  Result<Exposure> expose(void* memory, std::size_t size) override;
  void conceal(const Exposure& exposure) override;
  bool open_window(const Exposure& exposure, std::uint64_t window, std::span<const MemoryRun> memory) override {
    return fabric_->open_window(exposure.handle, window, memory);
  }
  void close_window(const Exposure& exposure, std::uint64_t window) override {
    fabric_->close_window(exposure.handle, window);
  }
  Result<Region> import(Rank owner, const Key& key, const Region* replaces) override;

  Status put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override;
  Status get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override;
  Status put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                    const Flag& flag, CompletionSink* completion) override;
  Status atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion) override;
  Status send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body) override;
  int progress(MessageSink& sink) override;
  void wait(std::int64_t nanoseconds) override;
  void wake() override;
  void on_failure(std::function<void(Rank, const Status&)> listener) override;

 private:
  struct Address {
    std::uint64_t fabric;
    Rank rank;
    std::uint32_t unused;
  };
  struct MemoryKey {
    std::uint64_t handle;
    std::uint64_t size;
  };

  Status check_peer(Rank peer, const char* operation) const;
  Status check_transfer(InFlight::Kind kind, Rank peer, const Region& region, std::span<const Piece> pieces) const;
  std::unique_ptr<InFlight> make_parcel(InFlight::Kind kind, Rank peer, const Region& region,
                                        CompletionSink* completion) const;
  void take_pieces(InFlight& parcel, std::span<const Piece> pieces) const;
  Status transfer(InFlight::Kind kind, Rank peer, const Region& region, std::span<const Piece> pieces,
                  CompletionSink* completion);
  Status refuse(Code code, const char* operation, Rank peer, const char* why) const;

  const std::shared_ptr<Fabric> fabric_;
  const Rank rank_;
  Endpoint& endpoint_;
  Capabilities capabilities_;

  // What direct regions point to stays until the device ends: a thread may be slow to notice that the memory is
  // concealed.
  util::Mutex imports_mutex_;
  std::vector<std::shared_ptr<util::Mapping>> imports_;
};

}  // namespace polder::device::sim
