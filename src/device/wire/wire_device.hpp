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
// The device is made of parts over one state (state/wire_state.hpp). Each is a class with a header that says what it does, and keeps what
// nobody else needs to itself. A part calls parts of rooms above its own in this list, and of its own those that stand before it; what
// goes the other way is noted in the state, and found there. What REQUIRES kWorker runs under the device's lock (state/worker.hpp).
//
//   send      frame_sender       frames, numbered and handed to the transport
//             acknowledger       when peers are told that theirs were carried out
//             responder          answers, and what was refused
//   access    memory_keys        keys to memory of peers, asked for, given and taken back
//             access_runner      puts and gets that reach into it
//   peers     strangers          what came from nobody of this job
//             undertaker         the end of a link
//             greeter            meeting a peer
//             peer_watch         peers that are silent
//   schedule  link_schedule      what goes next of all that waits for a link
//             link_pump          sends it
//   receive   record_server      what peers ask for
//             answer_reader      what they answer
//             record_reader      the records of a frame, each to its part
//             frame_receiver     frames coming in
//             landing_places     where parts of large transfers land while they come
//   turns     entrance           who holds the lock, and what that thread does before it goes
//             outside_copier     copies while no lock is held
//             network_turns      a thread's share of the work; see state/sleeper.hpp, too
//             message_delivery   messages to their handlers
//             farewell           how a device ends
//   memory    caller_memory      where pages may be missing
//             memory_offers      expose, conceal, import, windows
//   post      put_packer         puts become records
//             poster             put, get, atomic, send
#pragma once

#include "device/device.hpp"
#include "device/plugin.hpp"
#include "device/wire/access/access_runner.hpp"
#include "device/wire/access/memory_keys.hpp"
#include "device/wire/memory/caller_memory.hpp"
#include "device/wire/memory/memory_offers.hpp"
#include "device/wire/network/settings.hpp"
#include "device/wire/network/transport.hpp"
#include "device/wire/peers/greeter.hpp"
#include "device/wire/peers/peer_watch.hpp"
#include "device/wire/peers/strangers.hpp"
#include "device/wire/peers/undertaker.hpp"
#include "device/wire/post/poster.hpp"
#include "device/wire/receive/answer_reader.hpp"
#include "device/wire/receive/frame_receiver.hpp"
#include "device/wire/receive/landing_places.hpp"
#include "device/wire/receive/record_reader.hpp"
#include "device/wire/receive/record_server.hpp"
#include "device/wire/schedule/link_pump.hpp"
#include "device/wire/schedule/link_schedule.hpp"
#include "device/wire/send/acknowledger.hpp"
#include "device/wire/send/frame_sender.hpp"
#include "device/wire/send/responder.hpp"
#include "device/wire/state/wire_state.hpp"
#include "device/wire/turns/entrance.hpp"
#include "device/wire/turns/farewell.hpp"
#include "device/wire/turns/message_delivery.hpp"
#include "device/wire/turns/network_turns.hpp"
#include "device/wire/turns/outside_copier.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace polder::device::wire {

class WireDevice final : public Device, private TransportEvents {
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

  Result<Exposure> expose(void* memory, std::size_t size) override { return offers_.expose(memory, size); }
  Result<Exposure> expose_to_neighbours(std::size_t size) override { return offers_.expose_to_neighbours(size); }
  void conceal(const Exposure& exposure) override { offers_.conceal(exposure); }
  Result<Region> import(Rank owner, const Key& key, const Region* /*replaces*/) override {
    return offers_.import(owner, key);
  }
  bool open_window(const Exposure& exposure, std::uint64_t window, std::span<const MemoryRun> memory) override {
    return offers_.open_window(exposure, window, memory);
  }
  void close_window(const Exposure& exposure, std::uint64_t window) override { offers_.close_window(exposure, window); }
  void own(const void* memory, std::size_t size) override { memory_.own(memory, size); }
  void disown(const void* memory) override { memory_.disown(memory); }
  void fill_pages(bool begin) override { memory_.fill_pages(begin); }

  Status put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override {
    return poster_.put(peer, region, pieces, nullptr, completion);
  }
  Status get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override {
    return poster_.get(peer, region, pieces, completion);
  }
  Status put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                    const Flag& flag, CompletionSink* completion) override;
  Status atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion) override {
    return poster_.atomic(peer, region, request, completion);
  }
  Status send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body) override {
    return poster_.send(peer, handler, head, body);
  }

  int progress(MessageSink& sink) override;
  void wait(std::int64_t nanoseconds) override { state_.sleeper.wait(turns_, nanoseconds); }
  SleptInWait sleep_in_wait(std::int64_t nanoseconds) override {
    return state_.sleeper.sleep_in_wait(turns_, nanoseconds);
  }
  void wake() override { state_.sleeper.wake(); }
  void poll_in_wait(bool begins) override { state_.sleeper.poll_in_wait(begins); }
  void stop_polling() override { state_.sleeper.stop_polling(); }

  void retire() override;
  void on_failure(std::function<void(Rank, const Status&)> listener) override {
    entrance_.on_failure(std::move(listener));
  }
  void on_leave(const std::function<void(Rank)>& listener) override { delivery_.on_leave(listener); }

 private:
  WireDevice(const Setup& setup, const Settings& settings);
  TransportEvents& events() { return *this; }

  // ---- of the transport; each to the part that it is for ----

  void on_greeting(std::span<const std::byte> bytes, Addressee* over) POLDER_REQUIRES(kWorker) override {
    greeter_.note(bytes, static_cast<Link*>(over));
  }
  void on_frame(std::span<const std::byte> header, std::span<const std::byte> data) POLDER_REQUIRES(kWorker) override {
    receiver_.on_frame(header, data);
  }
  std::byte* place_of(std::span<const std::byte> header, std::size_t bytes) POLDER_REQUIRES(kWorker) override {
    return places_.place_of(header, bytes);
  }
  void on_sent(Addressee& buffer) POLDER_REQUIRES(kWorker) override { sender_.on_sent(static_cast<Frame&>(buffer)); }
  void on_accessed(Addressee& access, const char* problem) POLDER_REQUIRES(kWorker) override {
    accesses_.on_accessed(static_cast<RemoteAccess&>(access), problem);
  }
  void on_flushed(Addressee& flush, const char* problem) POLDER_REQUIRES(kWorker) override {
    accesses_.on_flushed(static_cast<RemoteAccess&>(flush), problem);
  }
  void on_made(Addressee& owner, Endpoint& endpoint) POLDER_REQUIRES(kWorker) override {
    greeter_.on_made(static_cast<Link&>(owner), endpoint);
  }
  void on_broken(Addressee& owner, Endpoint& endpoint, const char* why) POLDER_REQUIRES(kWorker) override {
    watch_.on_broken(static_cast<Link&>(owner), endpoint, why);
  }

  Capabilities capabilities_;
  WireState state_;

  FrameSender sender_{state_};
  Acknowledger acknowledger_{sender_};
  Responder responder_{state_, sender_};
  MemoryKeys keys_{state_, sender_, responder_};
  AccessRunner accesses_{state_, keys_};
  LinkSchedule schedule_;
  LinkPump pump_{state_, schedule_, sender_, accesses_, keys_};

  Strangers strangers_{state_.rank};
  Undertaker undertaker_{state_};
  Greeter greeter_;
  PeerWatch watch_{state_, sender_, responder_, greeter_, undertaker_};

  RecordServer server_{state_, responder_};
  AnswerReader answers_{state_};
  RecordReader reader_{state_, server_, answers_, keys_, responder_};
  FrameReceiver receiver_{state_, reader_, responder_, acknowledger_, strangers_};
  LandingPlaces places_{state_, answers_};

  Entrance entrance_{state_, greeter_, pump_};
  OutsideCopier copier_{state_, entrance_};
  CallerMemory memory_{state_.rma};
  Poster poster_{state_, memory_, copier_};
  MemoryOffers offers_{state_, memory_, entrance_, responder_, watch_};
  NetworkTurns turns_{state_, entrance_, copier_, acknowledger_, watch_};
  MessageDelivery delivery_{state_, copier_};
  Farewell farewell_{state_,
                     {.pump = pump_,
                      .undertaker = undertaker_,
                      .greeter = greeter_,
                      .watch = watch_,
                      .entrance = entrance_,
                      .copier = copier_}};
};

}  // namespace polder::device::wire
