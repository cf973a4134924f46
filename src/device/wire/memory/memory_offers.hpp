// Memory that this rank offers to its peers, from expose() to conceal(), and what it makes of their keys.
#pragma once

#include "device/device.hpp"
#include "device/wire/memory/caller_memory.hpp"
#include "device/wire/peers/peer_watch.hpp"
#include "device/wire/send/responder.hpp"
#include "device/wire/state/wire_state.hpp"
#include "device/wire/turns/entrance.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace polder::device::wire {

// Any thread; the calls are those of Device.
class MemoryOffers {
 public:
  MemoryOffers(WireState& state, CallerMemory& memory, Entrance& entrance, Responder& responder, PeerWatch& watch)
      : state_(state), memory_(memory), entrance_(entrance), responder_(responder), watch_(watch) {}

  Result<Exposure> expose(void* memory, std::size_t size);
  // Nobody loads and stores over a network: no peer reaches it.
  Result<Exposure> expose_to_neighbours(std::size_t size);
  void conceal(const Exposure& exposure);
  Result<Region> import(Rank owner, const Key& key) const;
  bool open_window(const Exposure& exposure, std::uint64_t window, std::span<const MemoryRun> memory);
  void close_window(const Exposure& exposure, std::uint64_t window);

 private:
  Status allocate(Exposed& exposed, std::size_t size);
  Exposure offer(Exposed exposed, bool present);
  void open_up(Exposed& exposed);
  void await_users(std::uint64_t handle) POLDER_REQUIRES(kWorker);
  void give_up_users(const Exposed& exposed) POLDER_REQUIRES(kWorker);

  WireState& state_;
  CallerMemory& memory_;
  Entrance& entrance_;
  Responder& responder_;
  PeerWatch& watch_;
};

}  // namespace polder::device::wire
