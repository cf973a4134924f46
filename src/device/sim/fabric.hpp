// A network between ranks that are threads of one process. It really moves the bytes, takes its time over it, and can
// be broken.
//
// What travels is a InFlight. It arrives after a delay that depends on nothing but the seed, the two ranks and the number
// of the operation, and in an order that uses all the freedom that the device contract leaves: puts, gets and atomics
// pass each other; a flag waits for the data before it; messages and flags keep their order. A reply travels back
// before the operation is complete.
//
// Faults. A link that is cut holds what is on it. If it is healed before detection_ns have passed, all arrives, late;
// else both ends lose each other: what one had under way to the other fails with peer_failed and is thrown away. A
// killed rank's operations fail with `closed` at once; those of others to it fail with peer_failed once they notice.
// What was reported as failed is never carried out later.
#pragma once

#include "device/sim/endpoint.hpp"
#include "device/sim/fabric_options.hpp"
#include "device/sim/in_flight.hpp"
#include "device/windows.hpp"
#include "util/bell.hpp"
#include "util/mutex.hpp"
#include "util/shared_memory.hpp"
#include "util/thread.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace polder::device::sim {

// Memory that a rank offers.
struct SharedMemory {
  Rank owner = 0;
  std::byte* data = nullptr;
  std::size_t size = 0;
  std::shared_ptr<util::Mapping> mapping;  // null for memory of the user
  Windows windows = {};
};

// What has been posted: operations, and the bytes of their data and messages.
struct Traffic {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
};

class Fabric : public std::enable_shared_from_this<Fabric> {
 public:
  // invalid_argument: no ranks, a negative delay, or a message size below 1 kB.
  static Result<std::shared_ptr<Fabric>> create(const FabricOptions& options);
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  // The device of `rank`. It keeps the fabric alive. exists: it was made before.
  Result<std::unique_ptr<Device>> device(Rank rank);

  const FabricOptions& options() const { return options_; }
  // Of all ranks, since the beginning.
  Traffic traffic();

  // ---- faults; any thread, also from inside a rank; ranks that do not exist are ignored ----

  // When it returns, no memory of `rank` is read or written any more, save through direct regions. Every call of its
  // device returns `closed`.
  void kill(Rank rank);
  // Nothing gets from `from` to `to`; the other direction is another link.
  void cut(Rank from, Rank to);
  void heal(Rank from, Rank to);

  // ---- for SimDevice ----

  Status connect(Rank source, Rank peer);
  void disconnect(Rank source, Rank peer);
  void listen(Rank rank, std::function<void(Rank, const Status&)> listener);
  // Fails what is under way from `rank` and returns when its last callback has.
  void detach(Rank rank);

  Result<std::uint64_t> add_memory(SharedMemory memory);
  void remove_memory(std::uint64_t handle);
  bool open_window(std::uint64_t handle, std::uint64_t window, std::span<const MemoryRun> memory);
  void close_window(std::uint64_t handle, std::uint64_t window);
  Result<SharedMemory> find_memory(Rank finder, Rank owner, std::uint64_t handle);

  // queue_full, peer_failed and closed as the contract says.
  Status post(std::unique_ptr<InFlight> parcel);

  std::vector<Message> take_messages(Rank rank, std::size_t limit);
  Endpoint& endpoint(Rank rank) { return endpoints_[rank]; }

 private:
  using Lock = std::unique_lock<util::Mutex>;

  explicit Fabric(const FabricOptions& options);

  // travel.cpp
  bool immediate() const { return options_.max_delay_ns == 0; }
  Status check_open(Rank rank) const;
  Status check_postable(const InFlight& parcel);
  void count(const InFlight& parcel);
  void schedule(InFlight& parcel, Link& link);
  void travel(std::unique_ptr<InFlight> parcel);
  void run();
  std::int64_t next_event_ns() const;
  void handle_due(std::int64_t now_ns);
  void start_thread();

  // arrive.cpp: the end of a leg. What goes on is returned, with the time of its next arrival in it.
  std::unique_ptr<InFlight> arrive(std::unique_ptr<InFlight> parcel);
  std::unique_ptr<InFlight> arrive_at_target(std::unique_ptr<InFlight> parcel);
  Status carry_out(InFlight& parcel);
  Status refuse(const InFlight& parcel, Code code, const char* why) const;
  Status write_pieces(InFlight& parcel, const SharedMemory& memory);
  static void read_pieces(InFlight& parcel, const std::byte* remote);
  void deliver_message(InFlight& parcel);
  static void hand_over(InFlight& parcel);
  void tell_local(InFlight& parcel);
  void finish(InFlight& parcel, const Status& status);

  // faults.cpp
  struct Suspicion {
    Rank observer;
    Rank peer;
    std::uint64_t fault;
  };
  bool is_cut(Rank from, Rank to) const { return cuts_.contains({from, to}); }
  std::uint64_t cut_between(Rank a, Rank b) const;
  bool in_effect(const Suspicion& suspicion) const;
  void suspect(Rank observer, Rank peer, std::uint64_t fault);
  void lose(Rank observer, Rank peer);
  template <class Match>
  void fail_parcels(Match&& match, const Status& status);
  void fail_from(Rank source, const Status& status);
  void fail_between(Rank source, Rank target, const Status& status);

  // notices.cpp
  void notice(Rank rank, Notice notice);
  void tell(Lock& lock);
  void tell_endpoint(Endpoint& endpoint, Lock& lock);

  const FabricOptions options_;

  util::Mutex mutex_;  // for all below; never held while a callback runs
  std::deque<Endpoint> endpoints_;
  std::unordered_map<std::uint64_t, SharedMemory> memory_;
  std::uint64_t next_handle_ = 1;

  Timeline travelling_;
  Timeline held_;  // on a link that is cut, or to a rank that is dead and not yet missed; keeps its place in the order
  std::uint64_t next_sequence_ = 1;
  Traffic traffic_;

  std::map<std::pair<Rank, Rank>, std::uint64_t> cuts_;  // by number of the fault
  std::uint64_t next_fault_ = 1;
  std::multimap<std::int64_t, Suspicion> suspicions_;  // by the time at which they become certainty

  std::vector<Rank> to_tell_;
  util::Bell told_;

  util::Bell changed_;
  bool stopping_ = false;
  util::Thread thread_;  // from the first thing on that lies in the future
};

}  // namespace polder::device::sim
