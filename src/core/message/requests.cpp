#include "core/message/requests.hpp"

#include "core/message/messaging.hpp"
#include "core/message/reply.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "util/log.hpp"

#include <cstring>
#include <string>
#include <utility>

namespace polder::core {

Requests::Requests(Outside& outside, Progress& progress, Peers& peers, Messaging& messaging)
    : outside_(outside), progress_(progress), peers_(peers), messaging_(messaging) {
  progress.add(*this);
  peers.add(*this);
  messaging.add_handler(number::kReply,
                        [this](Rank source, std::span<const std::byte> message) { take_reply(source, message); });
}

// ---- at the initiator ----

std::uint64_t Requests::expect(const Peer& peer, Expected expected) {
  progress_.start_helper();  // somebody has to take the reply
  std::lock_guard lock(mutex_);
  const std::uint64_t token = next_token_++;
  pending_.emplace(token, Pending{peer.rank, std::move(expected)});
  return token;
}

Status Requests::send(Peer& peer, MessageNumber number, std::uint64_t token, std::span<const std::byte> head,
                      std::span<const std::byte> body) {
  Status status = outside_.device->send(peer.rank, number, head, body);
  if (!status.ok()) {
    Pending taken;
    if (take(peer.rank, token, taken)) return status;
    return {};  // the peer failed meanwhile, and the completion has been told so
  }
  tell_local(token);
  // The peer may have failed between the check of the caller and now; nobody else would notice this request.
  if (peer.failed.load(std::memory_order_acquire)) is_cut_off(peer.rank);
  return {};
}

Status Requests::tell(const Peer& peer, MessageNumber number, std::span<const std::byte> message,
                      std::span<const std::byte> body) {
  return outside_.device->send(peer.rank, number, message, body);
}

// The message holds a copy of what the request read: its memory is the caller's again.
void Requests::tell_local(std::uint64_t token) {
  std::lock_guard lock(mutex_);  // so that the reply does not end it meanwhile
  const auto found = pending_.find(token);
  if (found == pending_.end() || !found->second.expected.reads_local) return;
  found->second.local_told = true;
  found->second.expected.completion->local();
}

// False: no request of this token is under way to that rank.
bool Requests::take(Rank peer, std::uint64_t token, Pending& pending) {
  std::lock_guard lock(mutex_);
  const auto found = pending_.find(token);
  if (found == pending_.end() || found->second.peer != peer) return false;
  pending = std::move(found->second);
  pending_.erase(found);
  return true;
}

void Requests::take_reply(Rank source, std::span<const std::byte> message) {
  ReplyHead head;
  Code code = Code::ok;
  std::span<const std::byte> data;
  if (!decode_reply(message, head, code, data))
    return util::log(util::LogLevel::warning, "rank %u: a reply of rank %u is malformed: dropped", outside_.rank(),
                     source);
  Pending pending;
  if (!take(source, head.token, pending)) return;  // given up meanwhile
  const Status outcome = use(pending, code, data);
  if (!pending.local_told) pending.expected.completion->local();
  pending.expected.completion->remote(outcome);
}

// No lock is held: the memory is the caller's, and a page of it may be missing.
Status Requests::use(const Pending& pending, Code code, std::span<const std::byte> data) const {
  const auto failed = [&](Code why) {
    return Status(why, "rank " + std::to_string(pending.peer) + " could not carry out the operation", Died::operation);
  };
  // These would say that it is still under way, or was never posted; but it has ended, and here for good.
  if (code == Code::timeout || code == Code::queue_full)
    return {Code::peer_failed,
            "rank " + std::to_string(pending.peer) + " gave up an operation: the elements were locked for too long",
            Died::operation};
  if (code != Code::ok) return failed(code);
  const Expected& expected = pending.expected;
  if (data.size() != expected.bytes) return failed(Code::system);
  if (expected.data != nullptr) std::memcpy(expected.data, data.data(), data.size());
  for (const device::Piece& piece : expected.scatter) {
    std::memcpy(piece.local, data.data(), piece.bytes);
    data = data.subspan(piece.bytes);
  }
  return {};
}

template <class Match>
void Requests::fail_matching(Match&& match, const Status& why) {
  std::vector<Pending> failed;
  {
    std::lock_guard lock(mutex_);
    for (auto at = pending_.begin(); at != pending_.end();) {
      if (!match(at->second)) {
        ++at;
        continue;
      }
      failed.push_back(std::move(at->second));
      at = pending_.erase(at);
    }
  }
  for (const Pending& pending : failed) {
    if (!pending.local_told) pending.expected.completion->local();
    pending.expected.completion->remote(why);
  }
}

void Requests::is_cut_off(Rank rank) {
  fail_matching([&](const Pending& pending) { return pending.peer == rank; }, peers_.gone(rank));
}

void Requests::fail_all() {
  fail_matching([](const Pending&) { return true; }, Status(Code::closed, "the runtime is closed", Died::runtime));
}

// ---- at the target ----

void Requests::serve(MessageNumber number, RequestHandler handler) {
  messaging_.add_handler(
      number, [this, number, handler = std::move(handler)](Rank source, std::span<const std::byte> message) {
        RequestHead head;
        if (!Decoder(message).take(head))
          return util::log(util::LogLevel::warning, "rank %u: a request %u of rank %u is malformed: dropped",
                           outside_.rank(), unsigned(number), source);
        handler({{source, head.token}, message});
      });
}

Status Requests::try_reply(Rank rank, std::span<const std::byte> head, std::span<const std::byte> data) {
  auto connected = peers_.connect(rank, Timeout::test());
  if (connected.ok()) return outside_.device->send(rank, number::kReply, head, data);
  return connected.status().timed_out() ? Status(Code::queue_full) : std::move(connected).status();
}

// Behind replies that wait already, so that a busy peer's share of the backlog does not starve.
void Requests::reply(const Caller& caller, Code code, std::span<const std::byte> data) {
  if (code != Code::ok) data = {};
  const ReplyHead reply{caller.token, std::uint32_t(code), 0};
  const auto head = bytes_of(reply);
  if (backlog_size_.load(std::memory_order_acquire) == 0 &&
      try_reply(caller.rank, head, data).code() != Code::queue_full)
    return;
  keep(caller.rank, head, data);
  progress_.wake_helper();  // the helper sends it; this need not be its thread
}

void Requests::keep(Rank rank, std::span<const std::byte> head, std::span<const std::byte> data) {
  Unsent unsent{rank, {head.begin(), head.end()}};
  unsent.message.insert(unsent.message.end(), data.begin(), data.end());
  std::lock_guard lock(backlog_mutex_);
  backlog_.push_back(std::move(unsent));
  backlog_size_.store(backlog_.size(), std::memory_order_release);
}

int Requests::attend() {
  if (backlog_size_.load(std::memory_order_acquire) == 0) return 0;
  int sent = 0;
  std::lock_guard lock(backlog_mutex_);
  std::deque<Unsent> rest;
  for (Unsent& unsent : backlog_) {
    if (try_reply(unsent.peer, unsent.message, {}).code() == Code::queue_full)
      rest.push_back(std::move(unsent));
    else
      ++sent;
  }
  backlog_ = std::move(rest);
  backlog_size_.store(backlog_.size(), std::memory_order_release);
  return sent;
}

}  // namespace polder::core
