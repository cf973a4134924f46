#include "device/shm/shm_device.hpp"

#include "util/platform.hpp"

#include <cstdint>
#include <cstring>
#include <string>

namespace polder::device::shm {

Result<std::unique_ptr<Device>> ShmDevice::create(Rank rank, Rank ranks) {
  auto inbox = Inbox::create(ranks);
  if (!inbox.ok()) return std::move(inbox).status();
  return std::unique_ptr<Device>(new ShmDevice(rank, ranks, *std::move(inbox)));
}

ShmDevice::ShmDevice(Rank rank, Rank ranks, Inbox inbox)
    : rank_(rank), ranks_(ranks), user_memory_(user_memory_option()), inbox_(std::move(inbox)), peers_(ranks) {
  capabilities_.name = "shm";
  capabilities_.needs_progress = false;
  capabilities_.max_message = Ring::kLargest;
  capabilities_.in_order = true;  // everything is done when the call returns
  capabilities_.copied_at_once = SIZE_MAX;
}

std::vector<std::byte> ShmDevice::address() const {
  const Address address{getpid(), inbox_.file().get()};
  const auto* bytes = reinterpret_cast<const std::byte*>(&address);
  return {bytes, bytes + sizeof address};
}

Status ShmDevice::connect(Rank peer, std::span<const std::byte> bytes) {
  if (peer >= ranks_)
    return {Code::invalid_rank, "connect to rank " + std::to_string(peer) + " of " + std::to_string(ranks_)};
  Address address;
  if (bytes.size() != sizeof address)
    return {Code::invalid_argument, "the address of rank " + std::to_string(peer) + " is not one of shared memory"};
  std::memcpy(&address, bytes.data(), sizeof address);
  if (Peer* known = peers_.find(peer)) {
    known->connected.store(true, std::memory_order_release);
    return {};
  }
  auto file = util::open_peer_file(address.pid, address.inbox);
  if (!file.ok()) return std::move(file).status();
  auto inbox = Inbox::map(*file, ranks_);
  if (!inbox.ok()) return std::move(inbox).status();
  peers_.find_or_insert(peer, [&] { return std::make_unique<Peer>(*std::move(inbox)); });
  return {};
}

void ShmDevice::disconnect(Rank peer) {
  if (peer >= ranks_) return;
  if (Peer* known = peers_.find(peer)) known->connected.store(false, std::memory_order_release);
}

void ShmDevice::on_failure(std::function<void(Rank, const Status&)> listener) {
  on_failure_ = std::move(listener);
}

}  // namespace polder::device::shm
