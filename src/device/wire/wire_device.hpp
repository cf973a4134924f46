// Ranks of many machines: frames of records over a Transport, whatever network that is.
//
// Puts, flags, atomics and gets are records that the target carries out itself when it makes progress, after it has
// looked up the memory by number and checked the range. So memory that was concealed is out of reach, a flag comes
// after its data, and strangers reach nothing.
//
// Where the network reaches memory by itself, large puts and gets do so (*accesses*). Their owner gives a key for a
// region to those who ask, and takes it back before the memory goes. Accesses keep the order of the records: a frame
// waits for the puts before it to arrive, and an access for what frames before it write to the same bytes.
//
// No operation is reported as failed while its target might still carry it out. A frame carries the latest clock value
// that its sender has heard from its receiver; the receiver refuses a frame whose value is older than the *lease*. Who
// loses a peer reports failures once the lease of the last value it heard has run out, or when the peer has certainly
// closed the link. Gray and Cheriton, Leases, 1989.
//
// What its parts share lies in wire_state.hpp; functions that REQUIRE kWorker run under the device's lock (worker.hpp).
//
//   setup.cpp      making, connecting, leaving        greeter        meeting a peer, and keeping strangers out
//   memory.cpp     expose, conceal, import            transfer.cpp   put, get, put_notify, atomic
//   message.cpp    send                               frame_sender   frames going out; acknowledger, responder
//   link_schedule  what goes next; link_pump          access_runner  reaching into the memory of peers
//   frame_receiver frames coming in; record_reader    record_server  what peers ask for; answer_reader
//   landing_places parts that land where they belong  progress.cpp   a thread's share of the work; see sleeper.hpp, too
//   memory_keys    keys to memory                     entrance.cpp   who holds the lock, and what it does last
//   peer_watch     peers that are silent; undertaker  copies.cpp     from and to memory whose pages may be missing
#pragma once

#include "device/device.hpp"
#include "device/filling_thread.hpp"
#include "device/plugin.hpp"
#include "device/wire/access_runner.hpp"
#include "device/wire/acknowledger.hpp"
#include "device/wire/answer_reader.hpp"
#include "device/wire/frame_receiver.hpp"
#include "device/wire/frame_sender.hpp"
#include "device/wire/greeter.hpp"
#include "device/wire/landing_places.hpp"
#include "device/wire/link_pump.hpp"
#include "device/wire/link_schedule.hpp"
#include "device/wire/memory_keys.hpp"
#include "device/wire/peer_watch.hpp"
#include "device/wire/present_memory.hpp"
#include "device/wire/record_reader.hpp"
#include "device/wire/record_server.hpp"
#include "device/wire/responder.hpp"
#include "device/wire/strangers.hpp"
#include "device/wire/undertaker.hpp"
#include "device/wire/wire_state.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace polder::device::wire {

class WireDevice final : public Device, private TransportEvents, private Sleeper::Network {
 public:
  // `events` live as long as the transport.
  using MakeTransport = std::function<Result<std::unique_ptr<Transport>>(TransportEvents& events)>;
  // The errors of `make_transport`; limit: its address is too long.
  static Result<std::unique_ptr<Device>> create(const Setup& setup, const Settings& settings,
                                                const MakeTransport& make_transport);
  // Says goodbye to peers, and ends what is still under way with `closed`. Waits for two seconds at most.
  ~WireDevice() override;

  const Capabilities& capabilities() const override { return capabilities_; }

  std::vector<std::byte> address() const override;
  Status connect(Rank peer, std::span<const std::byte> address) override;
  // Refuses what comes later. What is under way ends when the peer has confirmed it, or is lost.
  void disconnect(Rank peer) override;
  void abandon(Rank peer) override;
  Result<Exposure> expose(void* memory, std::size_t size) override;
  // Nobody loads and stores over a network: no peer reaches it.
  Result<Exposure> expose_to_neighbours(std::size_t size) override;
  void conceal(const Exposure& exposure) override;
  Result<Region> import(Rank owner, const Key& key, const Region* replaces) override;
  bool open_window(const Exposure& exposure, std::uint64_t window, std::span<const MemoryRun> memory) override;
  void close_window(const Exposure& exposure, std::uint64_t window) override;
  void own(const void* memory, std::size_t size) override { present_.add(memory, size); }
  void disown(const void* memory) override { present_.remove(memory); }

  Status put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override;
  Status get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override;
  Status put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                    const Flag& flag, CompletionSink* completion) override;
  Status atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion) override;
  Status send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body) override;
  int progress(MessageSink& sink) override;
  void wait(std::int64_t nanoseconds) override { state_.sleeper.wait(*this, nanoseconds); }
  SleptInWait sleep_in_wait(std::int64_t nanoseconds) override {
    return state_.sleeper.sleep_in_wait(*this, nanoseconds);
  }
  void wake() override { state_.sleeper.wake(); }
  void fill_pages(bool begin) override;
  void poll_in_wait(bool begins) override { state_.sleeper.poll_in_wait(begins); }
  void stop_polling() override { state_.sleeper.stop_polling(); }
  void retire() override;
  void on_failure(std::function<void(Rank, const Status&)> listener) override;
  void on_leave(const std::function<void(Rank)>& listener) override;

 private:
  struct MemoryKey;
  struct NamedFlag {
    const Region& control;
    const Flag& flag;
  };
  WireDevice(const Setup& setup, const Settings& settings);

  // ---- the device's lock: the worker, links' state, exposed memory ----

  // Not once it has retired: then nobody calls the transport any more.
  bool try_enter() POLDER_TRY_ACQUIRE(true, kWorker) {
    if (!state_.lock.try_lock()) return false;
    if (!retired_) [[likely]]
      return true;
    state_.lock.unlock();
    return false;
  }
  void enter() POLDER_ACQUIRE(kWorker) { state_.lock.lock(); }
  // Sends what waits, gives the lock back and tells callers what has ended.
  void leave() POLDER_RELEASE(kWorker);
  void tell_ended() POLDER_RELEASE(kWorker);

  // ---- of the transport ----
  void on_greeting(std::span<const std::byte> bytes, Addressee* over) POLDER_REQUIRES(kWorker) override {
    greeter_.note(bytes, static_cast<Link*>(over));
  }
  void on_frame(std::span<const std::byte> header, std::span<const std::byte> data) POLDER_REQUIRES(kWorker) override {
    receiver_.on_frame(header, data);
  }
  std::byte* place_of(std::span<const std::byte> header, std::size_t bytes) POLDER_REQUIRES(kWorker) override {
    return places_.place_of(header, bytes);
  }
  void on_made(Addressee& owner, Endpoint& endpoint) POLDER_REQUIRES(kWorker) override {
    greeter_.on_made(static_cast<Link&>(owner), endpoint);
  }
  void on_broken(Addressee& owner, Endpoint& endpoint, const char* why) POLDER_REQUIRES(kWorker) override {
    watch_.on_broken(static_cast<Link&>(owner), endpoint, why);
  }
  void on_sent(Addressee& buffer) POLDER_REQUIRES(kWorker) override { sender_.on_sent(static_cast<Frame&>(buffer)); }
  void on_accessed(Addressee& access, const char* problem) POLDER_REQUIRES(kWorker) override {
    accesses_.on_accessed(static_cast<RemoteAccess&>(access), problem);
  }
  void on_flushed(Addressee& flush, const char* problem) POLDER_REQUIRES(kWorker) override {
    accesses_.on_flushed(static_cast<RemoteAccess&>(flush), problem);
  }

  // ---- setup.cpp ----
  TransportEvents& events() { return *this; }
  void say_goodbye() POLDER_REQUIRES(kWorker);
  void take_leave(Link& link) POLDER_REQUIRES(kWorker);
  void close_endpoints() POLDER_REQUIRES(kWorker);

  // ---- memory.cpp ----
  Status allocate(Exposed& exposed, std::size_t size);
  Exposure offer(Exposed exposed, bool present);
  void open_up(Exposed& exposed);
  void await_users(std::uint64_t handle) POLDER_REQUIRES(kWorker);
  void give_up_users(const Exposed& exposed) POLDER_REQUIRES(kWorker);

  // ---- copies.cpp ----
  int copy_outside() POLDER_EXCLUDES(kWorker);
  int pack_outside() POLDER_EXCLUDES(kWorker);
  void pack(const Packing& packing) POLDER_EXCLUDES(kWorker);
  bool take_packed(const Packing& packing, Frame& frame, bool end);

  // ---- transfer.cpp ----
  Status refuse(const char* operation, Rank peer) const;
  Status post_put(Rank peer, const Region& region, std::span<const Piece> pieces, const NamedFlag* flag,
                  CompletionSink* completion);
  // Refused, or queue_full; may_wait() under the lock of the link.
  Status check_room(Link& link, const char* operation, bool urgent) const;
  Status may_wait(Link& link, const char* operation, bool urgent) const POLDER_REQUIRES(link.lock);
  void pack_put(Parcel& parcel, const Region& region, std::span<const Piece> pieces, const NamedFlag* flag,
                WireOperation& operation);
  static FlagRecord record_of(const NamedFlag& flag, const WireOperation& operation);
  bool goes_with_parts(const Piece& piece) const;
  bool is_foreign(const void* memory, std::uint64_t bytes);
  void pack_parts(Parcel& parcel, Bulk& bulk);
  void kick(Link& link, bool must_send);
  void hand_on(Link& link, bool must_send);

  // ---- progress.cpp ----
  bool unsent() override { return state_.dirty.any(std::memory_order_seq_cst); }
  bool pending() override { return state_.inbox.pending() || !state_.landings.empty() || !state_.packings.empty(); }
  int turn() override;
  void look_after_peers() override;
  Armed arm() override;
  void disarm() override { state_.transport->disarm(); }
  int event_fd() override { return state_.transport->event_fd(); }
  void work() POLDER_REQUIRES(kWorker);
  void tell_leaving(Rank peer);
  void note_drained(const Label& label, std::size_t bytes);

  WireState state_;
  FrameSender sender_{state_};
  Acknowledger acknowledger_{sender_};
  Responder responder_{state_, sender_};
  MemoryKeys keys_{state_, sender_, responder_};
  AccessRunner accesses_{state_, keys_};
  LinkSchedule schedule_;
  LinkPump pump_{state_, schedule_, sender_, accesses_, keys_};
  RecordServer server_{state_, responder_};
  AnswerReader answers_{state_};
  RecordReader reader_{state_, server_, answers_, keys_, responder_};
  Strangers strangers_{state_.rank};
  FrameReceiver receiver_{state_, reader_, responder_, acknowledger_, strangers_};
  LandingPlaces places_{state_, answers_};
  Undertaker undertaker_{state_};
  Greeter greeter_;
  PeerWatch watch_{state_, sender_, responder_, greeter_, undertaker_};
  Capabilities capabilities_;
  std::function<void(Rank, const Status&)> on_failure_;
  std::function<void(Rank)> on_leave_;

  PresentMemory present_;
  std::atomic<bool> pages_are_filled_{false};  // by some thread, now and then

  std::uint32_t turns_ POLDER_GUARDED_BY(kWorker) = 0;
  std::uint32_t idle_turns_ POLDER_GUARDED_BY(kWorker) = 0;  // since something came
  std::uint32_t busy_turns_ POLDER_GUARDED_BY(kWorker) = 0;  // since something came in each of them
  bool retired_ POLDER_GUARDED_BY(kWorker) = false;
};

}  // namespace polder::device::wire
