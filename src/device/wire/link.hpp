// The way between this rank and one peer, both directions.
//
// Who posts fills frames under `lock`; who holds the device's lock numbers and sends them. State and incarnation are
// changed under both locks, by begin(), open() and end(), so either is enough to read them.
#pragma once

#include "device/wire/accesses.hpp"
#include "device/wire/bulk.hpp"
#include "device/wire/frame.hpp"
#include "device/wire/link_session.hpp"
#include "device/wire/parcel.hpp"
#include "device/wire/protocol.hpp"
#include "device/wire/receive_order.hpp"
#include "device/wire/send_window.hpp"
#include "util/assert.hpp"
#include "util/fifo.hpp"
#include "util/spin_lock.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace polder::device::wire {

// Operations of an incarnation that ended badly: nobody may say that they failed before the peer surely refuses what is
// still on its way to it.
struct Grave {
  std::uint32_t incarnation = 0;
  std::int64_t open_ns = 0;
};

class Link : public Addressee {
 public:
  static constexpr std::size_t kWaitingLimit = 64;     // entries that wait, before posting says queue_full
  static constexpr std::uint32_t kMailRoom = 1 << 20;  // bytes of messages that no handler has taken yet
  static constexpr std::uint32_t kAskedLimit = 1024;   // gets and atomics without an answer

  enum class State : std::uint8_t {
    closed,    // no endpoint
    greeting,  // the peer has not answered yet; what is posted waits
    open,
    lost,  // until connect(); no endpoint
  };

  Link(TransportEvents& to, Rank rank) : peer(rank) { events = &to; }

  const Rank peer;

  // ---- the life of a link; under the device's lock, and those that only read under either ----

  State state() const { return state_; }
  std::uint32_t incarnation() const { return incarnation_; }  // how many began
  // There is an endpoint, and what is posted will leave by it.
  bool lives() const { return state_ == State::greeting || state_ == State::open; }
  Endpoint* endpoint() const { return endpoint_; }

  // A new incarnation: nothing of the old one counts any more. REQUIRES: no endpoint.
  void begin(Endpoint& endpoint, std::span<const std::byte> address, std::int64_t now) POLDER_EXCLUDES(lock) {
    POLDER_ASSERT(endpoint_ == nullptr && !lives());
    POLDER_ASSERT(window.empty() && !order.any());
    endpoint_ = &endpoint;
    address_.assign(address.begin(), address.end());
    session.begin(LinkSession::draw());
    greeted_ns = heard_ns = sent_ns = now;
    accesses = {};
    refusals = 0;
    refused.fill(~0u);
    drained_told = 0;
    broken_ = quiet_ = left = closed_by_peer = stalled = false;
    const util::SpinGuard guard(lock);
    state_ = State::greeting;
    ++incarnation_;
    drained.store(0, std::memory_order_relaxed);
    mail_posted = 0;
    mail_taken.store(0, std::memory_order_relaxed);
    asked.store(0, std::memory_order_relaxed);
  }

  // The peer has answered.
  void open(std::uint64_t peer_session, std::int64_t now) POLDER_EXCLUDES(lock) {
    POLDER_ASSERT(state_ == State::greeting && endpoint_ != nullptr);
    session.meet(peer_session);
    heard_ns = now;
    const util::SpinGuard guard(lock);
    state_ = State::open;
  }

  // To be ended once no call of the transport is under way, for this reason; the first one counts. False: it was to be
  // already.
  bool give_up(Status why, bool quiet) {
    if (broken_) return false;
    broken_ = true;
    why_ = std::move(why);
    quiet_ = quiet;
    return true;
  }
  bool broken() const { return broken_; }
  const Status& why() const { return why_; }  // of the last time
  // The peer has left in good order, or was never known: nobody need be told.
  bool quiet() const { return quiet_; }
  void be_quiet() { quiet_ = true; }

  // The endpoint, which the caller closes before it drops what waits and calls end().
  Endpoint& leave_endpoint() {
    POLDER_ASSERT(endpoint_ != nullptr);
    session.end();
    broken_ = false;
    window.clear();
    order.clear();
    accesses = {};  // what is under way keeps its key
    return *std::exchange(endpoint_, nullptr);
  }
  // REQUIRES: no endpoint any more, and nothing waits.
  void end() POLDER_REQUIRES(lock) {
    POLDER_ASSERT(endpoint_ == nullptr && waiting.empty() && urgent.empty() && packed.empty());
    state_ = quiet_ ? State::closed : State::lost;
    wanted = false;
  }

  bool is_at(std::span<const std::byte> address) const {
    return std::equal(address.begin(), address.end(), address_.begin(), address_.end());
  }
  // What is sent leaves at once.
  bool flows() const { return state_ == State::open && endpoint_->made(); }

  // ---- of those who post, under `lock` ----
  util::SpinLock lock;
  bool wanted POLDER_GUARDED_BY(lock) =
      false;  // connect() was called: this rank may post; disconnect() takes no other lock
  util::Fifo<Waiting> waiting POLDER_GUARDED_BY(lock);
  // What must not wait for a page that is missing at the front of `waiting`: answers, and what fetches the page.
  util::Fifo<Waiting> urgent POLDER_GUARDED_BY(lock);
  util::Fifo<Frame*> packed POLDER_GUARDED_BY(lock);      // copied parts of the large put at the front of `waiting`
  std::uint32_t mail_posted POLDER_GUARDED_BY(lock) = 0;  // bytes, wraps around
  std::atomic<std::uint32_t> mail_taken{0};
  std::atomic<std::uint32_t> asked{0};

  // ---- under the device's lock ----
  LinkSession session;
  SendWindow window;
  ReceiveOrder order;
  Accesses accesses;
  std::vector<Grave> graves;
  std::array<std::uint32_t, 16> refused{};  // operations of the peer of which a part was refused lately
  std::size_t refusals = 0;

  bool closed_by_peer = false;   // says the transport
  bool left = false;             // the peer has said goodbye
  bool owing = false;            // in the list of links with an acknowledgement to send
  bool stalled = false;          // something waits for the window
  bool tells_closing = false;    // see Transport
  std::uint32_t peer_clock = 0;  // the latest that was heard
  std::int64_t heard_ns = 0;     // and when
  std::uint32_t peer_lease = 0;  // milliseconds after which the peer refuses a frame
  std::int64_t greeted_ns = 0;
  std::int64_t sent_ns = 0;  // the latest frame

  // ---- any thread ----
  std::atomic<std::uint32_t> drained{0};  // bytes of the peer's messages that handlers here have taken
  std::uint32_t drained_told = 0;         // under the device's lock
  std::atomic<bool> dirty{false};         // in the list of links with something to send
  Link* next_dirty = nullptr;

  bool is_wanted() {
    util::SpinGuard guard(lock);
    return wanted;
  }

  bool has_waiting() {
    util::SpinGuard guard(lock);
    return !waiting.empty() || !urgent.empty();
  }

  // ---- packing; under `lock` ----

  util::Fifo<Waiting>& queue(bool is_urgent) POLDER_REQUIRES(lock) { return is_urgent ? urgent : waiting; }

  // A frame is full, or a bulk waits.
  bool must_send() POLDER_REQUIRES(lock) {
    return !urgent.empty() || waiting.size() > 1 || waiting.back().frame == nullptr || waiting.back().frame->part != 0;
  }

  bool has_room(bool is_urgent) POLDER_REQUIRES(lock) { return queue(is_urgent).size() < kWaitingLimit; }

  // The frame for a record with that much payload.
  Frame& frame_for(std::size_t payload, FramePool& pool, bool is_urgent) POLDER_REQUIRES(lock) {
    const std::size_t need = sizeof(Record) + padded(payload);
    util::Fifo<Waiting>& all = queue(is_urgent);
    if (all.empty() || all.back().frame == nullptr || !all.back().frame->has_room(need))
      all.push_back({.frame = pool.take(), .bulk = {}});
    return *all.back().frame;
  }

  // Behind what waits already; small frames join the last one.
  void take(Parcel& parcel, bool is_urgent) POLDER_REQUIRES(lock) {
    util::Fifo<Waiting>& all = queue(is_urgent);
    parcel.each([&](Waiting& part) {
      lock.assert_held();
      const bool joins = part.frame != nullptr && part.frame->part == 0 && !all.empty() &&
                         all.back().frame != nullptr && all.back().frame->has_room(part.frame->filled());
      if (joins) return all.back().frame->append_all(*part.frame);
      all.push_back(part);
      part.frame = nullptr;
    });
  }

  void wait_with(const Bulk& bulk, bool is_urgent) POLDER_REQUIRES(lock) {
    queue(is_urgent).push_back({.frame = nullptr, .bulk = bulk});
  }

  // What a thread copies without the lock may still be sent.
  bool still_takes(std::uint32_t of_incarnation) const POLDER_REQUIRES(lock) {
    return incarnation_ == of_incarnation && lives();
  }

 private:
  // Both locks to change them.
  State state_ = State::closed;
  std::uint32_t incarnation_ = 0;

  // Under the device's lock.
  Endpoint* endpoint_ = nullptr;    // there is one as long as the link lives
  std::vector<std::byte> address_;  // of the peer's worker
  bool broken_ = false;
  bool quiet_ = false;
  Status why_;
};

}  // namespace polder::device::wire
