// Operations that callers post: they become records that wait for their link, and leave as soon as they may.
#pragma once

#include "device/device.hpp"
#include "device/wire/memory/caller_memory.hpp"
#include "device/wire/post/put_packer.hpp"
#include "device/wire/state/wire_state.hpp"
#include "device/wire/turns/outside_copier.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <span>

namespace polder::device::wire {

// Any thread. Errors are those of Device.
class Poster {
 public:
  Poster(WireState& state, CallerMemory& memory, OutsideCopier& copier)
      : state_(state), memory_(memory), copier_(copier), packer_(state, memory) {}

  // `flag`: that is raised behind it; null: none.
  Status put(Rank peer, const Region& region, std::span<const Piece> pieces, const FlagToRaise* flag,
             CompletionSink* completion);
  Status get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion);
  Status atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion);
  Status send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body);

 private:
  Status refuse(const char* operation, Rank peer) const;
  // Refused, or queue_full; may_wait() under the lock of the link.
  Status check_room(Link& link, const char* operation, bool urgent) const;
  Status may_wait(Link& link, const char* operation, bool urgent) const POLDER_REQUIRES(link.lock);

  WireState& state_;
  CallerMemory& memory_;
  OutsideCopier& copier_;
  PutPacker packer_;
};

}  // namespace polder::device::wire
