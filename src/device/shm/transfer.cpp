// The data path for memory that cannot be loaded and stored: cross-memory attach, complete when the call returns.
#include "device/shm/cross_attach.hpp"
#include "device/shm/shm_device.hpp"
#include "device/words.hpp"

#include <atomic>
#include <bit>
#include <string>

namespace polder::device::shm {
namespace {

// What the kernel has copied is complete at once; what it refused was never begun.
Status complete(Status status, CompletionSink* completion) {
  if (!status.ok()) return status;
  completion->local();
  completion->remote({});
  return {};
}

}  // namespace

Status ShmDevice::copy(Direction direction, Rank peer, const Region& region, std::span<const Piece> pieces) {
  if (auto known = connected(peer); !known.ok()) return std::move(known).status();
  if (pieces.empty()) return {};
  const auto& target = *std::bit_cast<const Imported*>(static_cast<std::uintptr_t>(region.handle));
  const auto& grant = *reinterpret_cast<const Grant*>(target.mapping.data());
  const auto check_grant = [&]() -> Status {
    if (grant.revoked.load(std::memory_order_acquire) == 0) return {};
    return {Code::invalid_segment, "rank " + std::to_string(peer) + " does not offer this memory any more"};
  };
  if (Status status = check_grant(); !status.ok()) return status;
  if (Status status = cross_copy(direction, target.pid, target.base, pieces); !status.ok()) return status;
  return direction == Direction::read ? check_grant() : Status();  // what was read may have been something else by then
}

Status ShmDevice::put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) {
  return complete(copy(Direction::write, peer, region, pieces), completion);
}

Status ShmDevice::get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) {
  return complete(copy(Direction::read, peer, region, pieces), completion);
}

Status ShmDevice::put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                             const Flag& flag, CompletionSink* completion) {
  if (Status status = copy(Direction::write, peer, region, pieces); !status.ok()) return status;
  // Control memory is always a file of the owner's device, hence direct.
  raise_flag(control.direct, flag);
  return complete({}, completion);
}

Status ShmDevice::atomic(Rank, const Region&, const AtomicRequest&, CompletionSink*) {
  return {Code::unsupported, "cross-memory attach has no atomics", Died::operation};  // no region claims them
}

}  // namespace polder::device::shm
