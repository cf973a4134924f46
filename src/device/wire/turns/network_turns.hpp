// One thread's share of the network's work, and what a thread that sleeps by the network must know.
#pragma once

#include "device/wire/peers/peer_watch.hpp"
#include "device/wire/send/acknowledger.hpp"
#include "device/wire/state/sleeper.hpp"
#include "device/wire/state/wire_state.hpp"
#include "device/wire/turns/entrance.hpp"
#include "device/wire/turns/outside_copier.hpp"

#include <atomic>
#include <cstdint>

namespace polder::device::wire {

class NetworkTurns final : public Sleeper::Network {
 public:
  NetworkTurns(WireState& state, Entrance& entrance, OutsideCopier& copier, Acknowledger& acknowledger,
               PeerWatch& watch)
      : state_(state), entrance_(entrance), copier_(copier), acknowledger_(acknowledger), watch_(watch) {}

  // Returns how many operations ended or were carried out for others.
  int turn() override;

 private:
  bool unsent() override { return state_.dirty.any(std::memory_order_seq_cst); }
  bool pending() override { return state_.is_pending(); }
  void look_after_peers() override;
  Armed arm() override;
  void disarm() override { state_.transport->disarm(); }
  int event_fd() override { return state_.transport->event_fd(); }
  void work() POLDER_REQUIRES(kWorker);

  WireState& state_;
  Entrance& entrance_;
  OutsideCopier& copier_;
  Acknowledger& acknowledger_;
  PeerWatch& watch_;
  std::uint32_t turns_ POLDER_GUARDED_BY(kWorker) = 0;
  std::uint32_t idle_turns_ POLDER_GUARDED_BY(kWorker) = 0;  // since something came
  std::uint32_t busy_turns_ POLDER_GUARDED_BY(kWorker) = 0;  // since something came in each of them
};

}  // namespace polder::device::wire
