// The way between this rank and one peer, both directions.
//
// Who posts fills frames under `lock`; who holds the device's lock numbers and sends them. State and incarnation are
// changed under both locks, by begin(), open() and end(), so either is enough to read them.
#pragma once

#include "device/wire/format/protocol.hpp"
#include "device/wire/link/accesses.hpp"
#include "device/wire/link/link_session.hpp"
#include "device/wire/link/message_credit.hpp"
#include "device/wire/link/peer_signs.hpp"
#include "device/wire/link/posting_queues.hpp"
#include "device/wire/link/receive_order.hpp"
#include "device/wire/link/refusals.hpp"
#include "device/wire/link/send_window.hpp"
#include "util/assert.hpp"
#include "util/spin_lock.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <algorithm>
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

class DirtyLinks;

class Link : public Addressee {
 public:
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
    signs.begin(now);
    accesses = {};
    refusals.begin();
    broken_ = quiet_ = peer_left_ = peer_closed_ = stalled_ = false;
    const util::SpinGuard guard(lock);
    POLDER_ASSERT(queues.empty());
    state_ = State::greeting;
    ++incarnation_;
    messages.begin();
    unanswered_.store(0, std::memory_order_relaxed);
  }

  // The peer has answered.
  void open(std::uint64_t peer_session) POLDER_EXCLUDES(lock) {
    POLDER_ASSERT(state_ == State::greeting && endpoint_ != nullptr);
    session.meet(peer_session);
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
    POLDER_ASSERT(endpoint_ == nullptr && queues.empty() && queues.copied() == 0);
    state_ = quiet_ ? State::closed : State::lost;
    wanted_ = false;
  }

  bool is_at(std::span<const std::byte> address) const {
    return std::equal(address.begin(), address.end(), address_.begin(), address_.end());
  }
  // What is sent leaves at once.
  bool flows() const { return state_ == State::open && endpoint_->made(); }

  // ---- of those who post, under `lock` ----
  util::SpinLock lock;
  PostingQueues queues POLDER_GUARDED_BY(lock);

  // connect() was called, and disconnect() was not: this rank may post. Of the lock only, as disconnect() takes no other.
  void want(bool wanted) POLDER_EXCLUDES(lock) {
    const util::SpinGuard guard(lock);
    wanted_ = wanted;
  }
  bool is_wanted() POLDER_EXCLUDES(lock) {
    const util::SpinGuard guard(lock);
    return wanted_;
  }
  bool may_post() const POLDER_REQUIRES(lock) { return wanted_ && lives(); }
  // A get or an atomic may be posted, too: not too many are without an answer.
  bool may_ask(bool urgent) const POLDER_REQUIRES(lock) {
    return queues.has_room(urgent) && unanswered_.load(std::memory_order_relaxed) < kMostUnanswered;
  }
  void note_question() POLDER_REQUIRES(lock) { unanswered_.fetch_add(1, std::memory_order_relaxed); }
  void note_answer() { unanswered_.fetch_sub(1, std::memory_order_relaxed); }

  bool has_waiting() POLDER_EXCLUDES(lock) {
    const util::SpinGuard guard(lock);
    return !queues.empty();
  }
  // What a thread copies without the lock may still be sent.
  bool still_takes(std::uint32_t of_incarnation) const POLDER_REQUIRES(lock) {
    return incarnation_ == of_incarnation && lives();
  }

  // ---- of either lock; see there ----
  MessageCredit messages;

  // ---- under the device's lock ----
  LinkSession session;
  SendWindow window;
  ReceiveOrder order;
  PeerSigns signs;
  Refusals refusals;
  Accesses accesses;
  std::vector<Grave> graves;

  void note_farewell() { peer_left_ = true; }
  bool peer_left() const { return peer_left_; }  // the peer has said goodbye
  void note_closed() { peer_closed_ = true; }
  bool peer_closed() const { return peer_closed_; }  // says the transport
  // Whether the transport's word that the peer has closed can be trusted: see Transport.
  void trust_closing(bool trusted) { closing_trusted_ = trusted; }
  bool trusts_closing() const { return closing_trusted_; }

  // Looks whether the window is open; if not, an acknowledgement lets what waits go on.
  bool may_send() {
    stalled_ = !window.open();
    return !stalled_;
  }
  bool stalled() const { return stalled_; }

  // The peer is owed an acknowledgement. False: it was already.
  bool owe() { return !std::exchange(owing_, true); }
  void settle() { owing_ = false; }

 private:
  friend class DirtyLinks;

  static constexpr std::uint32_t kMostUnanswered = 1024;  // gets and atomics

  // Both locks to change them.
  State state_ = State::closed;
  std::uint32_t incarnation_ = 0;

  bool wanted_ POLDER_GUARDED_BY(lock) = false;
  std::atomic<std::uint32_t> unanswered_{0};

  // Of the list of links with something to send.
  std::atomic<bool> dirty_{false};
  Link* next_dirty_ = nullptr;

  // Under the device's lock.
  Endpoint* endpoint_ = nullptr;    // there is one as long as the link lives
  std::vector<std::byte> address_;  // of the peer's worker
  bool broken_ = false;
  bool quiet_ = false;
  bool peer_left_ = false;
  bool peer_closed_ = false;
  bool closing_trusted_ = false;
  bool stalled_ = false;  // something waits for the window
  bool owing_ = false;    // in the list of links with an acknowledgement to send
  Status why_;
};

}  // namespace polder::device::wire
