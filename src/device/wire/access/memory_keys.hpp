// Keys to memory. A rank that means to reach a region asks its owner for the key, once; until the answer is there, and
// if it is no, messages carry what there is to do. An owner that takes memory back revokes the key, and keeps the
// memory until everybody who holds the key has ended what is under way and has said so, or is lost.
#pragma once

#include "device/wire/send/frame_sender.hpp"
#include "device/wire/send/responder.hpp"
#include "device/wire/state/wire_state.hpp"

#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace polder::device::wire {

class MemoryKeys {
 public:
  MemoryKeys(WireState& state, FrameSender& sender, Responder& responder)
      : state_(state), sender_(sender), responder_(responder) {}

  // ---- at the initiator ----
  void ask(Link& link, std::uint64_t region) POLDER_REQUIRES(kWorker);
  void take_key(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(kWorker);
  // The owner wants the memory back.
  void take_revoke(Link& link, const Record& record) POLDER_REQUIRES(kWorker);
  // One access less to this region is under way.
  void end_use(Link& link, std::uint64_t region) POLDER_REQUIRES(kWorker);

  // ---- at the owner ----
  void serve_ask(Link& link, const Record& record) POLDER_REQUIRES(kWorker);
  void take_release(Link& link, const Record& record) POLDER_REQUIRES(kWorker);

 private:
  Status open_with(Link& link, RemoteMemory& memory, std::span<const std::byte> payload) POLDER_REQUIRES(kWorker);
  void give_back(Link& link, std::uint64_t region) POLDER_REQUIRES(kWorker);

  WireState& state_;
  FrameSender& sender_;
  Responder& responder_;
};

}  // namespace polder::device::wire
