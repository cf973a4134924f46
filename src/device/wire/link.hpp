// The way between this rank and one peer, both directions.
//
// Who posts fills frames under `lock`; who holds the device's lock numbers and sends them. What says "both" below is
// changed under both locks, so either is enough to read it.
#pragma once

#include "device/wire/access.hpp"
#include "device/wire/bulk.hpp"
#include "device/wire/frame.hpp"
#include "device/wire/parcel.hpp"
#include "device/wire/protocol.hpp"
#include "util/fifo.hpp"
#include "util/spin_lock.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <vector>

namespace polder::device::wire {

// A frame that the peer has not acknowledged yet.
struct Unacknowledged {
  std::uint32_t number = 0;
  std::uint32_t bytes = 0;
  std::int64_t sent_ns = 0;
  Operation* operations = nullptr;
};

// Operations of an incarnation that ended badly: nobody may say that they failed before the peer surely refuses what is
// still on its way to it.
struct Grave {
  std::uint32_t incarnation = 0;
  std::int64_t open_ns = 0;
};

struct Link : Addressee {
  static constexpr std::size_t kWaitingLimit = 64;        // entries that wait, before posting says queue_full
  static constexpr std::uint32_t kWindowFrames = 256;     // not acknowledged
  static constexpr std::uint32_t kWindowBytes = 4 << 20;  // likewise
  static constexpr std::size_t kAtOnce = 8;  // unacknowledged frames up to which even the smallest leaves at once
  static constexpr std::uint32_t kMailRoom = 1 << 20;  // bytes of messages that no handler has taken yet
  static constexpr std::uint32_t kAskedLimit = 1024;   // gets and atomics without an answer

  enum class State : std::uint8_t {
    closed,    // no endpoint
    greeting,  // the peer has not answered yet; what is posted waits
    open,
    lost,  // until connect()
  };

  Link(TransportEvents& to, Rank rank) : peer(rank) { events = &to; }

  const Rank peer;

  // ---- both ----
  State state = State::closed;
  std::uint32_t incarnation = 0;

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
  Accesses accesses;
  Endpoint* endpoint = nullptr;
  bool closed_by_peer = false;  // says the transport
  bool broken = false;          // to be given up, for the reason below, once no call of the transport is under way
  bool left = false;            // the peer has said goodbye
  Status why;
  bool quiet = false;                            // the peer has left in good order: nobody need be told
  bool owing = false;                            // in the list of links with an acknowledgement to send
  bool stalled = false;                          // something waits for the window
  bool tells_closing = false;                    // see Transport
  std::vector<std::byte> address;                // of the peer's worker
  std::uint64_t session = 0;                     // on frames for this rank; 0: none are accepted
  std::array<std::uint64_t, 8> past_sessions{};  // what still comes for them is dropped without a word
  std::size_t sessions_ended = 0;
  std::uint64_t peer_session = 0;  // on frames for the peer
  std::uint32_t peer_clock = 0;    // the latest that was heard
  std::int64_t heard_ns = 0;       // and when
  std::uint32_t peer_lease = 0;    // milliseconds after which the peer refuses a frame
  std::int64_t greeted_ns = 0;
  std::int64_t sent_ns = 0;  // the latest frame

  std::uint32_t last_sent = 0;  // number
  util::Fifo<Unacknowledged> unacknowledged;
  std::uint32_t unacknowledged_bytes = 0;

  std::uint32_t received = 0;      // all frames up to this number were carried out
  std::uint32_t acknowledged = 0;  // and the peer knows that, up to this one
  // The first frame of which something was refused while the word of that still waits: an acknowledgement would
  // overtake it. 0: none.
  std::uint32_t withheld = 0;
  std::map<std::uint32_t, std::vector<std::byte>> early;  // frames that came before their turn
  std::array<std::uint32_t, 16> refused{};                // operations of the peer of which a part was refused lately
  std::size_t refusals = 0;

  std::vector<Grave> graves;

  // ---- any thread ----
  std::atomic<std::uint32_t> drained{0};  // bytes of the peer's messages that handlers here have taken
  std::uint32_t drained_told = 0;         // under the device's lock
  std::atomic<bool> dirty{false};         // in the list of links with something to send
  // So much is under way that an acknowledgement will come soon: what is posted is gathered until then.
  std::atomic<bool> crowded{false};
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
    return incarnation == of_incarnation && (state == State::greeting || state == State::open);
  }

  // What may be acknowledged now.
  std::uint32_t done() const { return withheld == 0 ? received : withheld - 1; }

  void end_session() {
    if (session != 0) past_sessions[sessions_ended++ % past_sessions.size()] = session;
    session = 0;
  }
  bool was_session(std::uint64_t number) const {
    return number != 0 && std::find(past_sessions.begin(), past_sessions.end(), number) != past_sessions.end();
  }

  // What is sent leaves at once.
  bool flows() const { return state == State::open && endpoint->made(); }

  void note_crowd() {
    const bool now = unacknowledged.size() >= kAtOnce;
    if (now != crowded.load(std::memory_order_relaxed)) crowded.store(now, std::memory_order_seq_cst);
  }

  bool window_open() const { return unacknowledged.size() < kWindowFrames && unacknowledged_bytes < kWindowBytes; }
};

}  // namespace polder::device::wire
