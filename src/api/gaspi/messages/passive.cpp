#include "api/gaspi/messages/passive.hpp"

#include "api/gaspi/base/error.hpp"

#include <polder/shown_wait.hpp>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <new>
#include <string>
#include <utility>

namespace polder::gaspi {
namespace {

// How often a sleeping receive serves messages itself, for runtimes without a helper thread.
constexpr auto kPassiveNap = std::chrono::milliseconds(20);

// The sender waits for this: it is worth some patience even when the receive has little time left.
constexpr auto kReplyPatience = std::chrono::seconds(1);

// A rank that is alone from the start may send to itself.
bool all_others_are_gone(const Runtime& runtime) {
  if (runtime.size() == 1) return false;
  for (Rank rank = 0; rank < runtime.size(); ++rank)
    if (rank != runtime.rank() && runtime.health(rank) == Health::healthy) return false;
  return true;
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
  if (offered) code = wait(runtime, *sending, !is_new, deadline);

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
  const Status status = runtime.send(data.rank, kOffer, as_message(message), deadline.left());
  return lacks_room(status) ? in_trace(GASPI_TIMEOUT) : outcome(status);
}

// The receiver may have had no room for its reply when this rank was elsewhere: a ping asks for it.
gaspi_return_t PassiveSends::wait(Runtime& runtime, const Sending& sending, bool again, const Deadline& deadline) {
  constexpr auto kWhat = "in a passive send";
  const Rank rank = sending.data.rank;
  if (again) {
    const auto code = replies_.wait(kWhat, sending.token, runtime, rank, Deadline(GASPI_TEST));
    if (code != GASPI_TIMEOUT) return code;
    const Status asked = runtime.send(rank, kPing, as_message(PingMessage{kNobody}), deadline.left());
    if (!asked.ok() && !lacks_room(asked)) return failed(asked);
  }
  return replies_.wait(kWhat, sending.token, runtime, rank, deadline);
}

void PassiveSends::end(Position sending) {
  replies_.close(sending->token);
  sendings_.erase(sending);
}

gaspi_return_t PassiveSends::forget(Runtime& runtime, const Deadline& deadline) {
  while (true) {
    std::unique_lock lock(mutex_);
    const auto sending = std::ranges::find_if(sendings_, [](const Sending& s) { return !s.awaited; });
    if (sending == sendings_.end()) return GASPI_SUCCESS;
    sending->awaited = true;  // by this thread
    lock.unlock();
    const Status told =
        runtime.send(sending->data.rank, kWithdraw, as_message(WithdrawMessage{sending->token}), deadline.left());
    lock.lock();
    if (lacks_room(told)) {
      sending->awaited = false;
      return in_trace(GASPI_TIMEOUT);
    }
    end(sending);  // a receiver that is gone needs no word
  }
}

void PassiveOffers::arrive(Rank source, const OfferMessage& offer) {
  const std::lock_guard lock(mutex_);
  offers_.push_back({.source = source, .message = offer});
  arrived_.notify_one();
}

void PassiveOffers::withdraw(Rank source, const WithdrawMessage& offer) {
  const std::lock_guard lock(mutex_);
  for (OfferAtWork& taken : at_work_)
    if (taken.source == source && taken.token == offer.token) taken.withdrawn = true;
  const auto found = std::ranges::find_if(offers_, [&](const Offer& other) { return other.is(source, offer.token); });
  if (found == offers_.end()) return;
  keep(lock, std::move(found->fetch));
  offers_.erase(found);
}

// Memory that data may still come to.
void PassiveOffers::keep(const std::lock_guard<std::mutex>&, std::unique_ptr<PassiveFetch> fetch) {
  std::erase_if(withdrawn_, [](const auto& other) { return other->handle.idle(); });
  if (fetch != nullptr && !fetch->handle.idle()) withdrawn_.push_back(std::move(fetch));
}

bool PassiveOffers::leave(const std::lock_guard<std::mutex>&, const Offer& offer) {
  const auto taken =
      std::ranges::find_if(at_work_, [&](const OfferAtWork& other) { return offer.is(other.source, other.token); });
  assert(taken != at_work_.end());
  const bool withdrawn = taken->withdrawn;
  at_work_.erase(taken);
  return withdrawn;
}

gaspi_return_t PassiveOffers::receive(Runtime& runtime, std::byte* memory, std::size_t size, Rank& source,
                                      const Deadline& deadline) {
  while (true) {
    Offer offer;
    if (const gaspi_return_t code = take(runtime, size, offer, deadline); code != GASPI_SUCCESS) return code;
    const Status status = fetch(runtime, offer, memory, deadline);
    if (lacks_room(status) || status.code() == Code::out_of_memory) {
      put_back(std::move(offer));
      return lacks_room(status) ? GASPI_TIMEOUT : failed(status);
    }
    {
      const std::lock_guard lock(mutex_);
      (void)leave(lock, offer);
      keep(lock, std::move(offer.fetch));  // a part of the data may have failed, and others still come
    }
    reply(runtime, offer, status.ok() ? GASPI_SUCCESS : GASPI_ERROR);
    // A sender that has died, or has deleted its segment, since then has nothing to give: on to the next offer.
    if (!status.ok()) continue;
    source = offer.source;
    return GASPI_SUCCESS;
  }
}

gaspi_return_t PassiveOffers::take(Runtime& runtime, std::size_t size, Offer& offer, const Deadline& deadline) {
  reply_again(runtime);
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
  at_work_.push_back({offers_.front().source, offers_.front().message.token});
  offer = std::move(offers_.front());
  offers_.pop_front();
  return true;
}

Status PassiveOffers::fetch(Runtime& runtime, Offer& offer, std::byte* memory, const Deadline& deadline) {
  const OfferMessage& what = offer.message;
  if (offer.fetch == nullptr) {
    const GlobalAddress place{offer.source, SegmentId(what.segment), what.offset};
    const auto segment = runtime.remote_segment(place.rank, place.segment, deadline.left());
    if (!segment.ok()) return segment.status();
    if (segment->direct != nullptr) return runtime.get(memory, place, what.size, Post(Until::local, deadline.left()));
    auto begun = room_for(what);
    if (begun == nullptr)
      return Status(Code::out_of_memory,
                    "gaspi_passive_receive: no room for the " + std::to_string(what.size) + " bytes that come next");
    Status posted = runtime.get(begun->data.data(), place, what.size, Post(begun->handle, deadline.left()));
    if (!posted.ok()) {
      const std::lock_guard lock(mutex_);
      keep(lock, std::move(begun));
      return posted;
    }
    offer.fetch = std::move(begun);
  }
  Status status = offer.fetch->handle.wait(Completion::local, deadline.left());
  if (status.ok()) std::ranges::copy(offer.fetch->data, memory);
  return status;
}

// The offer stays where there is none, so it must not be lost to an exception.
std::unique_ptr<PassiveFetch> PassiveOffers::room_for(const OfferMessage& offer) {
  try {
    return std::make_unique<PassiveFetch>(offer.size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void PassiveOffers::put_back(Offer offer) {
  const std::lock_guard lock(mutex_);
  if (leave(lock, offer))
    return keep(lock, std::move(offer.fetch));  // its sender may use its memory for other things now
  offers_.push_front(std::move(offer));
  arrived_.notify_one();
}

// A sender that is gone needs no reply.
void PassiveOffers::reply(Runtime& runtime, const Offer& offer, gaspi_return_t code) {
  const OwedReply owed{offer.source, {offer.message.token, code}};
  if (!lacks_room(runtime.send(owed.sender, kReply, as_message(owed.message), kReplyPatience))) return;
  const std::lock_guard lock(mutex_);
  owed_.push_back(owed);
}

void PassiveOffers::reply_again(Runtime& runtime) {
  std::unique_lock lock(mutex_);
  std::vector<OwedReply> owed = std::exchange(owed_, {});
  lock.unlock();
  if (owed.empty()) return;
  std::erase_if(owed, [&](const OwedReply& reply) {
    return !lacks_room(runtime.send(reply.sender, kReply, as_message(reply.message), Timeout::test()));
  });
  lock.lock();
  owed_.insert(owed_.end(), owed.begin(), owed.end());
}

void PassiveOffers::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  arrived_.notify_all();
}

void PassiveOffers::forget(const Runtime& runtime) {
  const std::lock_guard lock(mutex_);
  // Memory that data may still come to stays; a receive meets the failure.
  std::erase_if(offers_, [&](const Offer& offer) {
    const bool is_fetched = offer.fetch != nullptr && !offer.fetch->handle.idle();
    return !is_fetched && runtime.health(offer.source) != Health::healthy;
  });
}

void PassiveOffers::let_go() {
  const std::lock_guard lock(mutex_);
  for (Offer& offer : offers_)
    if (offer.fetch != nullptr) offer.fetch->handle = Handle();
  for (const auto& fetch : withdrawn_) fetch->handle = Handle();
}

}  // namespace polder::gaspi
