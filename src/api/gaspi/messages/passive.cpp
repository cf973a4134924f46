#include "api/gaspi/messages/passive.hpp"

#include "api/gaspi/base/error.hpp"

#include <polder/shown_wait.hpp>

#include <algorithm>
#include <cassert>
#include <chrono>

namespace polder::gaspi {
namespace {

// How often a sleeping receive serves messages itself, for runtimes without a helper thread.
constexpr auto kPassiveNap = std::chrono::milliseconds(20);

// The sender waits for this: it is worth some patience even when the receive has little time left.
constexpr auto kReplyPatience = std::chrono::seconds(1);

Status fetch(Runtime& runtime, std::byte* memory, Rank source, const OfferMessage& offer, const Deadline& deadline) {
  auto queue = runtime.create_queue(1);
  if (!queue.ok()) return std::move(queue).status();
  const GlobalAddress place{source, SegmentId(offer.segment), offer.offset};
  if (Status posted = runtime.get(memory, place, offer.size, Post(**queue, deadline.left())); !posted.ok())
    return posted;
  return (*queue)->wait(Completion::local, deadline.left());
}

// A rank that is alone from the start may send to itself.
bool all_others_are_gone(const Runtime& runtime) {
  if (runtime.size() == 1) return false;
  for (Rank rank = 0; rank < runtime.size(); ++rank)
    if (rank != runtime.rank() && runtime.health(rank) == Health::healthy) return false;
  return true;
}

void reply(Runtime& runtime, Rank sender, Token token, gaspi_return_t code) {
  const ReplyMessage message{token, code};
  // A sender that is gone needs no reply, and one that does not read its messages cannot get it.
  (void)runtime.send(sender, kReply, as_message(message), kReplyPatience);
}

}  // namespace

gaspi_return_t PassiveSends::send(Runtime& runtime, const PassiveData& data, unsigned limit, const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  auto sending = std::ranges::find_if(sendings_, [&](const Sending& s) { return !s.awaited && s.data == data; });
  const bool is_new = sending == sendings_.end();
  if (is_new) {
    if (sendings_.size() >= limit) {
      return refuse(GASPI_ERROR, "gaspi_passive_send", "passive_queue_size_max sends are waiting already");
    }
    sending = sendings_.insert(sendings_.end(), Sending{data, replies_.open()});
  }
  sending->awaited = true;
  lock.unlock();

  gaspi_return_t code = is_new ? offer(runtime, *sending, deadline) : GASPI_SUCCESS;
  const bool offered = code == GASPI_SUCCESS;
  if (offered) code = replies_.wait("in a passive send", sending->token, runtime, data.rank, deadline);

  lock.lock();
  if (offered && code == GASPI_TIMEOUT) {
    sending->awaited = false;
  } else {
    end(sending);
  }
  return code;
}

gaspi_return_t PassiveSends::offer(Runtime& runtime, const Sending& sending, const Deadline& deadline) {
  const PassiveData& data = sending.data;
  const OfferMessage message{sending.token, data.offset, data.size, data.segment};
  return outcome(runtime.send(data.rank, kOffer, as_message(message), deadline.left()));
}

void PassiveSends::end(Position sending) {
  replies_.close(sending->token);
  sendings_.erase(sending);
}

void PassiveSends::forget() {
  const std::lock_guard lock(mutex_);
  for (auto sending = sendings_.begin(); sending != sendings_.end();) {
    const auto next = std::next(sending);
    if (!sending->awaited) end(sending);
    sending = next;
  }
}

void PassiveOffers::arrive(Rank source, const OfferMessage& offer) {
  const std::lock_guard lock(mutex_);
  offers_.push_back({source, offer});
  arrived_.notify_one();
}

gaspi_return_t PassiveOffers::receive(Runtime& runtime, std::byte* memory, std::size_t size, Rank& source,
                                      const Deadline& deadline) {
  while (true) {
    Offer offer;
    if (const gaspi_return_t code = take(runtime, size, offer, deadline); code != GASPI_SUCCESS) return code;
    const Status status = fetch(runtime, memory, offer.source, offer.message, deadline);
    if (status.timed_out()) {
      put_back(offer);
      return GASPI_TIMEOUT;
    }
    reply(runtime, offer.source, offer.message.token, status.ok() ? GASPI_SUCCESS : GASPI_ERROR);
    // A sender that has died, or has deleted its segment, since then has nothing to give: on to the next offer.
    if (!status.ok()) continue;
    source = offer.source;
    return GASPI_SUCCESS;
  }
}

gaspi_return_t PassiveOffers::take(Runtime& runtime, std::size_t size, Offer& offer, const Deadline& deadline) {
  ShownWait shown(runtime);
  while (true) {
    const bool in_vain = all_others_are_gone(runtime);  // before the look, so that what they sent is not missed
    runtime.progress();
    gaspi_return_t code = GASPI_SUCCESS;
    std::unique_lock lock(mutex_);
    if (take_now(lock, size, offer, code)) return code;
    if (in_vain) return failed({Code::peer_failed, "gaspi_passive_receive: all other ranks are gone"});
    if (deadline.left().is_test() || deadline.over()) return GASPI_TIMEOUT;
    shown.look("for a passive message");
    arrived_.wait_until(lock, deadline.nap(kPassiveNap));
    if (take_now(lock, size, offer, code)) return code;
  }
}

bool PassiveOffers::take_now(const std::unique_lock<std::mutex>& held, std::size_t size, Offer& offer,
                             gaspi_return_t& code) {
  assert(held.owns_lock());
  if (ended_) {
    code = ended_by_term("gaspi_passive_receive");
    return true;
  }
  if (offers_.empty()) return false;
  if (offers_.front().message.size > size) {
    code = refuse(GASPI_ERR_INV_SIZE, "gaspi_passive_receive", "the size must hold what comes next", size);
    return true;
  }
  offer = offers_.front();
  offers_.pop_front();
  return true;
}

void PassiveOffers::put_back(const Offer& offer) {
  const std::lock_guard lock(mutex_);
  offers_.push_front(offer);
  arrived_.notify_one();
}

void PassiveOffers::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  arrived_.notify_all();
}

void PassiveOffers::forget(const Runtime& runtime) {
  const std::lock_guard lock(mutex_);
  std::erase_if(offers_, [&](const Offer& offer) { return runtime.health(offer.source) != Health::healthy; });
}

}  // namespace polder::gaspi
