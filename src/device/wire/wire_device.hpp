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
//   setup.cpp     making, connecting, leaving        greet.cpp    meeting a peer, and keeping strangers out
//   memory.cpp    expose, conceal, import            transfer.cpp put, get, put_notify, atomic
//   message.cpp   send                               send.cpp     frames going out
//   schedule.cpp  what goes next                     access.cpp   reaching into the memory of peers
//   receive.cpp   frames coming in                   serve.cpp    what peers ask for
//   landing.cpp   parts that land where they belong  progress.cpp a thread's share of the work; see sleeper.hpp, too
//   keys.cpp      keys to memory
//   liveness.cpp  peers that are silent or lost      copies.cpp   from and to memory whose pages may be missing
#pragma once

#include "device/device.hpp"
#include "device/filling_thread.hpp"
#include "device/plugin.hpp"
#include "device/wire/copy_queue.hpp"
#include "device/wire/dirty_links.hpp"
#include "device/wire/exposed_memory.hpp"
#include "device/wire/frame.hpp"
#include "device/wire/greeting.hpp"
#include "device/wire/inbox.hpp"
#include "device/wire/link.hpp"
#include "device/wire/operation.hpp"
#include "device/wire/present_memory.hpp"
#include "device/wire/settings.hpp"
#include "device/wire/sleeper.hpp"
#include "device/wire/transport.hpp"
#include "util/sparse_table.hpp"
#include "util/spin_lock.hpp"

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
  void wait(std::int64_t nanoseconds) override { sleeper_.wait(*this, nanoseconds); }
  SleptInWait sleep_in_wait(std::int64_t nanoseconds) override { return sleeper_.sleep_in_wait(*this, nanoseconds); }
  void wake() override { sleeper_.wake(); }
  void fill_pages(bool begin) override;
  void poll_in_wait(bool begins) override { sleeper_.poll_in_wait(begins); }
  void stop_polling() override { sleeper_.stop_polling(); }
  void retire() override;
  void on_failure(std::function<void(Rank, const Status&)> listener) override;
  void on_leave(const std::function<void(Rank)>& listener) override;

 private:
  struct MemoryKey;
  struct NamedFlag {
    const Region& control;
    const Flag& flag;
  };
  // That came during this turn.
  struct NotedGreeting {
    std::vector<std::byte> bytes;
    const Link* over;  // by whose way; null: by none, or unknown
    std::uint32_t incarnation;
  };
  struct Lost {
    Rank peer;
    Status why;
  };
  // What is to be done next for a link, one of these.
  struct Step {
    Frame* frame = nullptr;
    std::span<const std::byte> part = {};  // behind the frame
    RemoteAccess* access = nullptr;
    std::uint64_t ask = 0;  // for the key of this region
  };

  // Answers, and what posts a thread that fills pages, go before what may wait for a page.
  static constexpr bool kUrgent = true;
  static constexpr std::size_t kPackedAtPost = 8;  // parts of a large put that are copied as it is posted,
  static constexpr std::size_t kPackedAhead = 4;   // and later at a time

  WireDevice(const Setup& setup, const Settings& settings);

  // ---- the device's lock: the worker, links' state, exposed memory ----

  // Not once it has retired: then nobody calls the transport any more.
  bool try_enter() POLDER_TRY_ACQUIRE(true, lock_) {
    if (!lock_.try_lock()) return false;
    if (!retired_) [[likely]]
      return true;
    lock_.unlock();
    return false;
  }
  void enter() POLDER_ACQUIRE(lock_) { lock_.lock(); }
  // Sends what waits, gives the lock back and tells callers what has ended.
  void leave() POLDER_RELEASE(lock_);
  void tell_ended() POLDER_RELEASE(lock_);

  // ---- setup.cpp ----
  TransportEvents& events() { return *this; }
  Link& link_of(Rank peer) POLDER_REQUIRES(lock_);
  Status reach(Link& link, std::span<const std::byte> address) POLDER_REQUIRES(lock_);
  void say_goodbye() POLDER_REQUIRES(lock_);
  void take_leave(Link& link) POLDER_REQUIRES(lock_);
  void close_endpoints() POLDER_REQUIRES(lock_);

  // ---- memory.cpp ----
  Status allocate(Exposed& exposed, std::size_t size);
  Exposure offer(Exposed exposed, bool present);
  void open_up(Exposed& exposed);
  void await_users(std::uint64_t handle) POLDER_REQUIRES(lock_);
  void give_up_users(const Exposed& exposed) POLDER_REQUIRES(lock_);

  // ---- keys.cpp ----
  RemoteMemory* find_memory(Link& link, std::uint64_t region) POLDER_REQUIRES(lock_);
  void ask_for_key(Link& link, std::uint64_t region) POLDER_REQUIRES(lock_);
  void serve_ask(Link& link, const Record& record) POLDER_REQUIRES(lock_);
  void take_key(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(lock_);
  Status open_with(Link& link, RemoteMemory& memory, std::span<const std::byte> payload) POLDER_REQUIRES(lock_);
  void serve_revoke(Link& link, const Record& record) POLDER_REQUIRES(lock_);
  void give_key_back(Link& link, std::uint64_t region) POLDER_REQUIRES(lock_);
  void take_release(Link& link, const Record& record) POLDER_REQUIRES(lock_);
  void end_use(Link& link, std::uint64_t region) POLDER_REQUIRES(lock_);

  // ---- access.cpp ----
  void begin_access(Link& link, RemoteAccess& access) POLDER_REQUIRES(lock_);
  void on_accessed(Addressee& access, const char* problem) POLDER_REQUIRES(lock_) override;
  void end_get(RemoteAccess& access, bool current, bool well) POLDER_REQUIRES(lock_);
  bool flush_accesses(Link& link) POLDER_REQUIRES(lock_);
  void on_flushed(Addressee& flush, const char* problem) POLDER_REQUIRES(lock_) override;
  void note_arrival(Link& link, std::uint64_t number) POLDER_REQUIRES(lock_);
  void settle(Link& link, const Departed& put) POLDER_REQUIRES(lock_);

  // ---- schedule.cpp ----
  Step next_step(Link& link) POLDER_REQUIRES(lock_);
  Step choose(Link& link) POLDER_REQUIRES(lock_, link.lock);
  Step next_access(Link& link, Waiting& waiting) POLDER_REQUIRES(lock_, link.lock);
  bool may_leave(Link& link, Waiting& waiting) POLDER_REQUIRES(lock_);
  bool goes_by_access(Link& link, const Bulk& bulk) POLDER_REQUIRES(lock_);
  Step next_frame(Link& link, bool urgent) POLDER_REQUIRES(lock_, link.lock);
  Step next_copied(Link& link, Waiting& waiting) POLDER_REQUIRES(lock_, link.lock);
  Step next_copied_access(Link& link, Frame& frame, Bulk& bulk) POLDER_REQUIRES(lock_, link.lock);
  void claim(Link& link, Bulk& bulk) POLDER_REQUIRES(lock_, link.lock);
  Frame* next_question(const Bulk& bulk) POLDER_REQUIRES(lock_);
  bool goes_with_next(Link& link) POLDER_REQUIRES(lock_, link.lock);
  Frame* next_part(Bulk& bulk, std::span<const std::byte>& part, Frame* company = nullptr) POLDER_REQUIRES(lock_);

  // ---- copies.cpp ----
  void land(WireOperation& operation, std::byte* to, std::span<const std::byte> data) POLDER_REQUIRES(lock_);
  int copy_outside() POLDER_EXCLUDES(lock_);
  int pack_outside() POLDER_EXCLUDES(lock_);
  void pack(const Packing& packing) POLDER_EXCLUDES(lock_);
  bool take_packed(const Packing& packing, Frame& frame, bool end);

  // ---- greet.cpp ----
  void on_greeting(std::span<const std::byte> bytes, Addressee* over) POLDER_REQUIRES(lock_) override;
  void answer_greetings() POLDER_REQUIRES(lock_);
  void hear(const Heard& heard, const NotedGreeting& noted) POLDER_REQUIRES(lock_);
  void on_hello(Link& link, const Heard& heard, bool came_by_its_way) POLDER_REQUIRES(lock_);
  void open(Link& link, const Greeting& greeting) POLDER_REQUIRES(lock_);
  void greet(Link& link, Greeting::Kind kind, std::uint64_t answer_to) POLDER_REQUIRES(lock_);
  void on_made(Addressee& owner, Endpoint& endpoint) POLDER_REQUIRES(lock_) override;
  void flow(Link& link) POLDER_REQUIRES(lock_);
  void stranger(const char* what) POLDER_REQUIRES(lock_);

  // ---- transfer.cpp ----
  Link* find_link(Rank peer) const { return peer < size_ ? links_.find(peer) : nullptr; }
  Status refuse(const char* operation, Rank peer) const;
  Status post_put(Rank peer, const Region& region, std::span<const Piece> pieces, const NamedFlag* flag,
                  CompletionSink* completion);
  // Refused, or queue_full; may_wait() under the lock of the link.
  Status check_room(Link& link, const char* operation, bool urgent) const;
  Status may_wait(Link& link, const char* operation, bool urgent) const POLDER_REQUIRES(link.lock);
  void note_stores(Frame& frame, const Record& put, std::size_t bytes) const;
  void pack_put(Parcel& parcel, const Region& region, std::span<const Piece> pieces, const NamedFlag* flag,
                WireOperation& operation);
  static FlagRecord record_of(const NamedFlag& flag, const WireOperation& operation);
  bool goes_with_parts(const Piece& piece) const;
  bool is_foreign(const void* memory, std::uint64_t bytes);
  void pack_parts(Parcel& parcel, Bulk& bulk);
  void kick(Link& link, bool must_send);
  void hand_on(Link& link, bool must_send);
  void mark_dirty(Link& link) { dirty_.add(link); }

  // ---- send.cpp ----
  void send_dirty() POLDER_REQUIRES(lock_);
  void pump(Link& link) POLDER_REQUIRES(lock_);
  void send_steps(Link& link) POLDER_REQUIRES(lock_);
  void transmit(Link& link, Frame& frame, std::span<const std::byte> part) POLDER_REQUIRES(lock_);
  void write_header(Link& link, Frame& frame, std::uint32_t number) POLDER_REQUIRES(lock_);
  void acknowledge(Link& link) POLDER_REQUIRES(lock_);
  void acknowledge_all() POLDER_REQUIRES(lock_);
  void hand_over(Link& link, Packet kind, Frame& frame, std::span<const std::byte> header,
                 std::span<const std::byte> data) POLDER_REQUIRES(lock_);
  void on_sent(Addressee& buffer) POLDER_REQUIRES(lock_) override;
  void end_part(WireOperation& operation) POLDER_REQUIRES(lock_);
  void note_ended(WireOperation& operation) POLDER_REQUIRES(lock_);

  // ---- receive.cpp ----
  void on_frame(std::span<const std::byte> header, std::span<const std::byte> data) POLDER_REQUIRES(lock_) override;
  bool is_fresh(const FrameHeader& header, std::int64_t now) const;
  bool admit(Link& link, const FrameHeader& header) POLDER_REQUIRES(lock_);
  std::byte* place_of(std::span<const std::byte> header, std::size_t bytes) POLDER_REQUIRES(lock_) override;
  std::byte* place_of_part(Link& link, const Record& record, std::size_t bytes) POLDER_REQUIRES(lock_);
  void arrive(Link& link, const FrameHeader& header, std::span<const std::byte> head, std::span<const std::byte> data)
      POLDER_REQUIRES(lock_);
  Acknowledgement serve_part(Link& link, std::span<const std::byte> head, std::span<const std::byte> data)
      POLDER_REQUIRES(lock_);
  Acknowledgement serve_records(Link& link, std::span<const std::byte> content) POLDER_REQUIRES(lock_);
  void carry_out(Link& link, const FrameHeader& header, std::span<const std::byte> head,
                 std::span<const std::byte> data) POLDER_REQUIRES(lock_);
  void take_acknowledgement(Link& link, const FrameHeader& header) POLDER_REQUIRES(lock_);
  static constexpr std::uint32_t kDebtLimit = 16;  // frames that a sender may have to wait for at most
  void note_debt(Link& link, Acknowledgement due, std::uint32_t limit) POLDER_REQUIRES(lock_);
  void resolve(WireOperation& operation) POLDER_REQUIRES(lock_);

  // ---- serve.cpp ----
  void serve(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(lock_);
  void serve_put(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(lock_);
  void serve_flag(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(lock_);
  void serve_message(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(lock_);
  void serve_get(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(lock_);
  void serve_atomic(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(lock_);
  static std::byte* place_of_answer(const WireOperation* operation, const Record& record, std::size_t bytes);
  void take_data(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(lock_);
  void take_old(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(lock_);
  void take_failure(Link& link, const Record& record) POLDER_REQUIRES(lock_);
  void take_answer(Link& link, WireOperation& operation) POLDER_REQUIRES(lock_);
  void respond(Link& link, const Record& record, std::span<const std::byte> payload) POLDER_REQUIRES(lock_);
  void respond_failed(Link& link, const Record& record, Code code) POLDER_REQUIRES(lock_);
  void tell_refused(Link& link) POLDER_REQUIRES(lock_);
  WireOperation* asked_of(Link& link, const Record& record) POLDER_REQUIRES(lock_);

  // ---- liveness.cpp ----
  void on_broken(Addressee& owner, Endpoint& endpoint, const char* why) POLDER_REQUIRES(lock_) override;
  void give_up(Link& link, Status why, bool quiet) POLDER_REQUIRES(lock_);
  void mend() POLDER_REQUIRES(lock_);
  void lose(Link& link, bool settled) POLDER_REQUIRES(lock_);
  void bury(Link& link, bool settled) POLDER_REQUIRES(lock_);
  void drop_waiting(Link& link) POLDER_REQUIRES(lock_, link.lock);
  void drop(Waiting& waiting) POLDER_REQUIRES(lock_);
  void tick(std::int64_t now) POLDER_REQUIRES(lock_);
  void watch(Link& link, std::int64_t now) POLDER_REQUIRES(lock_);
  void open_graves(Link& link, std::int64_t now) POLDER_REQUIRES(lock_);
  void fail_operations(Link& link, std::uint32_t incarnation, const Status& why) POLDER_REQUIRES(lock_);

  // ---- progress.cpp ----
  bool unsent() override { return dirty_.any(std::memory_order_seq_cst); }
  bool pending() override { return inbox_.pending() || !landings_.empty() || !packings_.empty(); }
  int turn() override;
  void look_after_peers() override;
  Armed arm() override;
  void disarm() override { transport_->disarm(); }
  int event_fd() override { return transport_->event_fd(); }
  void work() POLDER_REQUIRES(lock_);
  void tell_leaving(Rank peer);
  void note_drained(const Label& label, std::size_t bytes);

  const std::string name_;            // in front of errors
  const std::string devices_option_;  // that names networks
  const Rank rank_;
  const Rank size_;
  const std::uint64_t secret_;
  const std::uint32_t lease_ms_;  // 0: peers may be silent for ever
  const std::size_t part_bytes_;  // of large transfers that are sent from where they lie
  const Rma rma_wanted_;
  const bool rma_;                 // memory of some peers may be reached without their help
  const std::uint64_t rma_bytes_;  // in pieces of so many bytes or more
  Capabilities capabilities_;
  std::function<void(Rank, const Status&)> on_failure_;
  std::function<void(Rank)> on_leave_;

  FramePool frames_;
  PresentMemory present_;
  std::atomic<bool> pages_are_filled_{false};  // by some thread, now and then
  CopyQueue<Landing> landings_;
  CopyQueue<Packing> packings_;
  OperationTable operations_;
  Inbox inbox_;
  Sleeper sleeper_;
  util::SparseTable<Link> links_;
  DirtyLinks dirty_;

  util::SpinLock lock_;
  AccessPool accesses_ POLDER_GUARDED_BY(lock_);
  ExposedMemory exposed_ POLDER_GUARDED_BY(lock_);
  std::vector<Link*> known_ POLDER_GUARDED_BY(lock_);
  std::vector<Link*> owing_ POLDER_GUARDED_BY(lock_);
  bool acknowledge_now_ POLDER_GUARDED_BY(lock_) = false;  // some of those
  std::vector<NotedGreeting> greetings_ POLDER_GUARDED_BY(lock_);
  std::uint64_t strangers_ POLDER_GUARDED_BY(lock_) = 0;
  std::int64_t next_tick_ns_ POLDER_GUARDED_BY(lock_) = 0;
  std::uint32_t turns_ POLDER_GUARDED_BY(lock_) = 0;
  std::uint32_t idle_turns_ POLDER_GUARDED_BY(lock_) = 0;  // since something came
  std::uint32_t busy_turns_ POLDER_GUARDED_BY(lock_) = 0;  // since something came in each of them
  bool any_broken_ POLDER_GUARDED_BY(lock_) = false;
  bool retired_ POLDER_GUARDED_BY(lock_) = false;
  bool arrived_ POLDER_GUARDED_BY(lock_) = false;  // something came in during this turn
  int events_ POLDER_GUARDED_BY(lock_) = 0;        // what progress() has to tell
  int sending_ POLDER_GUARDED_BY(lock_) = 0;       // frames that the transport holds
  // What was refused of the frame that is being carried out; null: nothing.
  Frame* refused_ POLDER_GUARDED_BY(lock_) = nullptr;

  // What callers must be told once no lock is held.
  WireOperation* local_ POLDER_GUARDED_BY(lock_) = nullptr;
  WireOperation* ended_ POLDER_GUARDED_BY(lock_) = nullptr;
  WireOperation* last_local_ POLDER_GUARDED_BY(lock_) = nullptr;
  WireOperation* last_ended_ POLDER_GUARDED_BY(lock_) = nullptr;
  std::vector<Lost> lost_ POLDER_GUARDED_BY(lock_);

  std::unique_ptr<Transport> transport_;  // goes first
};

}  // namespace polder::device::wire
