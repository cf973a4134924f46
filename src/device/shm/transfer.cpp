// The data path for memory that cannot be loaded and stored: cross-memory attach, complete when the call returns.
#include "device/shm/shm_device.hpp"
#include "device/words.hpp"
#include "util/cross_attach.hpp"

#include <algorithm>
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

using util::CrossDirection;

// Of one system call, so that its lists lie on the stack.
constexpr std::size_t kBatch = 256;
static_assert(kBatch <= util::kCrossPieces);

// Between this process and address `base` + piece.remote of process `pid`.
Status cross_copy(CrossDirection direction, pid_t pid, std::uint64_t base, std::span<const Piece> pieces) {
  while (!pieces.empty()) {
    const auto batch = pieces.first(std::min(pieces.size(), kBatch));
    iovec local[kBatch], remote[kBatch];
    std::size_t count = 0;
    for (const Piece& piece : batch) {
      if (piece.bytes == 0) continue;
      local[count] = {piece.local, piece.bytes};
      remote[count++] = {reinterpret_cast<void*>(base + piece.remote), piece.bytes};
    }
    if (Status status = util::cross_copy(direction, pid, {local, count}, {remote, count}); !status.ok()) return status;
    pieces = pieces.subspan(batch.size());
  }
  return {};
}

}  // namespace

Status ShmDevice::copy(CrossDirection direction, Rank peer, const Region& region, std::span<const Piece> pieces) {
  if (auto known = connected(peer); !known.ok()) return std::move(known).status();
  if (pieces.empty()) return {};
  const auto& target = *std::bit_cast<const Imported*>(static_cast<std::uintptr_t>(region.handle));
  const auto check_grant = [&]() -> Status {
    const Grant& grant = *target.grant;
    if (grant.revoked.load(std::memory_order_acquire) == 0 && grant.inode == target.inode) return {};
    return {Code::invalid_segment, "rank " + std::to_string(peer) + " does not offer this memory any more"};
  };
  if (Status status = check_grant(); !status.ok()) return status;
  if (Status status = cross_copy(direction, target.pid, target.base, pieces); !status.ok()) return status;
  return direction == CrossDirection::read ? check_grant()
                                           : Status();  // what was read may have been something else by then
}

Status ShmDevice::put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) {
  return complete(copy(CrossDirection::write, peer, region, pieces), completion);
}

Status ShmDevice::get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) {
  return complete(copy(CrossDirection::read, peer, region, pieces), completion);
}

Status ShmDevice::put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                             const Flag& flag, CompletionSink* completion) {
  if (Status status = copy(CrossDirection::write, peer, region, pieces); !status.ok()) return status;
  // Control memory is always a file of the owner's device, hence direct.
  raise_flag(control.direct, flag);
  return complete({}, completion);
}

Status ShmDevice::atomic(Rank, const Region&, const AtomicRequest&, CompletionSink*) {
  return {Code::unsupported, "cross-memory attach has no atomics", Died::operation};  // no region claims them
}

}  // namespace polder::device::shm
