// The data path for memory that cannot be loaded and stored: cross-memory attach, complete when the call returns.
#include "device/shm/cross_attach.hpp"
#include "device/shm/shm_device.hpp"
#include "util/bell.hpp"

#include <atomic>
#include <bit>

namespace polder::device::shm {

Status ShmDevice::copy(Direction direction, Rank peer, const Region& region, std::span<const Piece> pieces,
                       Completion* completion) {
  if (auto target = connected(peer); !target.ok()) return std::move(target).status();
  const auto& target = *std::bit_cast<const Imported*>(static_cast<std::uintptr_t>(region.handle));
  if (Status status = cross_copy(direction, target.pid, target.base, pieces); !status.ok()) return status;
  completion->local();
  completion->remote({});
  return {};
}

Status ShmDevice::put(Rank peer, const Region& region, std::span<const Piece> pieces, Completion* completion) {
  return copy(Direction::write, peer, region, pieces, completion);
}

Status ShmDevice::get(Rank peer, const Region& region, std::span<const Piece> pieces, Completion* completion) {
  return copy(Direction::read, peer, region, pieces, completion);
}

Status ShmDevice::put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                             const Flag& flag, Completion* completion) {
  if (auto known = connected(peer); !known.ok()) return std::move(known).status();
  const auto& target = *std::bit_cast<const Imported*>(static_cast<std::uintptr_t>(region.handle));
  if (Status status = cross_copy(Direction::write, target.pid, target.base, pieces); !status.ok()) return status;
  // Control memory is always a file of the owner's device, hence direct.
  reinterpret_cast<std::atomic<std::uint32_t>*>(control.direct + flag.offset)
      ->store(flag.value, std::memory_order_release);
  reinterpret_cast<util::Bell*>(control.direct + flag.bell_offset)->ring();
  completion->local();
  completion->remote({});
  return {};
}

Status ShmDevice::atomic(Rank, const Region&, const AtomicRequest&, Completion*) {
  return {Code::unsupported, "cross-memory attach has no atomics", Died::operation};  // no region claims them
}

}  // namespace polder::device::shm
