// What the parts of a WireDevice share: its settings, its lock, links and memory, what is under way, and what is still to be told.
#pragma once

#include "device/plugin.hpp"
#include "device/wire/format/protocol.hpp"
#include "device/wire/link/accesses.hpp"
#include "device/wire/link/frame.hpp"
#include "device/wire/link/link.hpp"
#include "device/wire/link/operation.hpp"
#include "device/wire/network/settings.hpp"
#include "device/wire/network/transport.hpp"
#include "device/wire/state/copy_queue.hpp"
#include "device/wire/state/dirty_links.hpp"
#include "device/wire/state/endings.hpp"
#include "device/wire/state/exposed_memory.hpp"
#include "device/wire/state/inbox.hpp"
#include "device/wire/state/link_table.hpp"
#include "device/wire/state/sleeper.hpp"
#include "device/wire/state/worker.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace polder::device::wire {

class WireState {
 public:
  WireState(const Setup& setup, const Settings& settings, TransportEvents& told)
      : name(settings.name),
        rank(setup.rank),
        size(setup.size),
        lease_ms(settings.peer_timeout_ms),
        rma(settings.rma != Rma::off),
        rma_bytes(settings.rma_bytes),
        frames(told),
        links(told, setup.size),
        accesses(told) {}
  WireState(const WireState&) = delete;
  WireState& operator=(const WireState&) = delete;

  const std::string name;  // in front of errors
  const Rank rank;
  const Rank size;
  const std::uint32_t lease_ms;   // 0: peers may be silent for ever
  const bool rma;                 // memory of some peers may be reached without their help
  const std::uint64_t rma_bytes;  // in pieces of so many bytes or more

  // ---- any thread ----

  FramePool frames;
  OperationTable operations;
  Inbox inbox;
  Sleeper sleeper;
  LinkTable links;
  DirtyLinks dirty;
  CopyQueue<Landing> landings;
  CopyQueue<Packing> packings;

  // Messages, or copies that somebody must do outside of the lock.
  bool is_pending() const { return inbox.pending() || !landings.empty() || !packings.empty(); }

  // What is unawaited touches nothing that is under way, so no access need wait for its acknowledgement.
  void note_stores(Frame& frame, const Record& put, std::size_t bytes) const {
    if (rma && (put.detail & kUnawaited) == 0) frame.stores.add(put.region, put.offset, bytes);
  }
  // Whether a frame is younger than the lease: its sender may report older ones as failed.
  bool is_fresh(const FrameHeader& header, std::int64_t now) const {
    const std::uint32_t age = clock_ms(now) - header.echo;
    return lease_ms == 0 || std::int32_t(age) <= std::int32_t(lease_ms);
  }

  // ---- the device's lock, which turns/entrance.hpp takes and gives back, and what it guards ----

  WorkerLock lock;
  AccessPool accesses POLDER_GUARDED_BY(kWorker);
  ExposedMemory exposed POLDER_GUARDED_BY(kWorker);
  Endings endings POLDER_GUARDED_BY(kWorker);
  int events POLDER_GUARDED_BY(kWorker) = 0;            // what progress() has to tell
  int sending POLDER_GUARDED_BY(kWorker) = 0;           // frames and accesses that the transport holds
  bool has_arrived POLDER_GUARDED_BY(kWorker) = false;  // something came in during this turn
  bool any_broken POLDER_GUARDED_BY(kWorker) = false;   // links that were given up, and are to be ended

  // Noted only: the transport may be further up the stack.
  void give_up(Link& link, Status why, bool quiet) POLDER_REQUIRES(kWorker) {
    if (link.give_up(std::move(why), quiet)) any_broken = true;
  }
  // The peer is done with it, or it has failed for good.
  void resolve(WireOperation& operation) POLDER_REQUIRES(kWorker) {
    ++events;
    endings.decide(operation);
  }
  // Likewise, of one that the peer has answered.
  void take_answer(Link& link, WireOperation& operation) POLDER_REQUIRES(kWorker) {
    link.note_answer();
    resolve(operation);
  }

  std::unique_ptr<Transport> transport;  // its calls take turns, but for those that say otherwise; goes first
};

}  // namespace polder::device::wire
