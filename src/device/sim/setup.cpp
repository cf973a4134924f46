#include "device/sim/sim_device.hpp"

#include <cstring>
#include <string>

namespace polder::device::sim {

SimDevice::SimDevice(std::shared_ptr<Fabric> fabric, Rank rank)
    : fabric_(std::move(fabric)), rank_(rank), endpoint_(fabric_->endpoint(rank)) {
  capabilities_.name = "sim";
  capabilities_.needs_progress = !fabric_->options().direct;
  capabilities_.windows = fabric_->options().put_get;
  capabilities_.copied_at_once = fabric_->options().copied_at_once;
  capabilities_.max_message = fabric_->options().max_message;
}

SimDevice::~SimDevice() {
  fabric_->detach(rank_);
}

std::vector<std::byte> SimDevice::address() const {
  const Address address{reinterpret_cast<std::uintptr_t>(fabric_.get()), rank_, 0};
  const auto* bytes = reinterpret_cast<const std::byte*>(&address);
  return {bytes, bytes + sizeof address};
}

Status SimDevice::connect(Rank peer, std::span<const std::byte> bytes) {
  Address address{};
  if (bytes.size() == sizeof address) std::memcpy(&address, bytes.data(), sizeof address);
  if (address.fabric != reinterpret_cast<std::uintptr_t>(fabric_.get()) || address.rank != peer ||
      peer >= fabric_->options().ranks)
    return Status(Code::invalid_argument,
                  "sim: this is not the address of rank " + std::to_string(peer) + " of this fabric");
  return fabric_->connect(rank_, peer);
}

void SimDevice::disconnect(Rank peer) {
  fabric_->disconnect(rank_, peer);
}

void SimDevice::on_failure(std::function<void(Rank, const Status&)> listener) {
  fabric_->listen(rank_, std::move(listener));
}

bool SimDevice::is_direct(Rank) const {
  return fabric_->options().direct;
}

}  // namespace polder::device::sim
