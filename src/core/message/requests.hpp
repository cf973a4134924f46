// Requests to numbered handlers of peers, and their replies.
//
//   at the target:     requests.serve(number, [&](const Request& request) { requests.reply(request.caller, Code::ok,
//   bytes); }); at the initiator:  requests.call(peer, number, head, body, {.completion = &told, .data = answer, .bytes
//   = size});
//
// A request is complete when its reply is here, when its peer is gone, or when this runtime ends: its completion is
// told exactly once. It survives the call that sent it. A reply may be given at once or later, by any thread; one that
// finds no room waits until there is.
#pragma once

#include "core/message/decoder.hpp"
#include "core/message/numbers.hpp"
#include "core/message/request.hpp"
#include "core/peers/peer_watcher.hpp"
#include "core/progress/duty.hpp"
#include "device/completion_sink.hpp"
#include "device/region.hpp"
#include "util/mutex.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace polder::core {

class Messaging;
class Peers;
class Progress;
struct Outside;

// What becomes of the data of a reply. The memory is written before `completion` is told, and not at all once it has
// been. A reply of another size than `bytes` is refused: the request fails.
struct Expected {
  device::CompletionSink* completion = nullptr;
  std::byte* data = nullptr;
  std::uint64_t bytes = 0;
  std::vector<device::Piece> scatter = {};  // instead of `data`: pieces of `bytes` in all
  bool reads_local = false;  // the request carries memory of the caller, which is his again once it is sent
};

class Requests final : public Duty, public PeerWatcher {
 public:
  Requests(Outside& outside, Progress& progress, Peers& peers, Messaging& messaging);

  // ---- at the initiator ----
  // Sends `head` and `body`. queue_full: nothing was sent, and the completion will not be told. REQUIRES: `peer` is
  // connected.
  template <class Head>
  Status call(Peer& peer, MessageNumber number, Head& head, std::span<const std::byte> body, Expected expected) {
    static_assert(std::is_base_of_v<RequestHead, Head>);
    head.token = expect(peer, std::move(expected));
    return send(peer, number, head.token, bytes_of(head), body);
  }

  // Sends something that nobody answers. `message` begins with a RequestHead all the same.
  Status tell(const Peer& peer, MessageNumber number, std::span<const std::byte> message,
              std::span<const std::byte> body = {});

  // ---- at the target ----
  // Once for each number, before any peer sends to it. Requests without a whole head are dropped.
  void serve(MessageNumber number, RequestHandler handler);
  // Data goes only with Code::ok; it is copied before the call returns. A caller that is gone wants no answer.
  void reply(const Caller& caller, Code code, std::span<const std::byte> data = {});

  // ---- for core ----
  // Sends replies that found no room. Returns how many.
  int attend() override;
  // Completes what waits for that rank.
  void is_cut_off(Rank rank) override;
  // Completes all that is under way, with `closed`.
  void fail_all();

 private:
  struct Reply;
  struct Pending {
    Rank peer = 0;
    Expected expected;
    bool local_told = false;
  };
  struct Unsent {
    Rank peer;
    std::vector<std::byte> message;
  };

  std::uint64_t expect(const Peer& peer, Expected expected);
  Status send(Peer& peer, MessageNumber number, std::uint64_t token, std::span<const std::byte> head,
              std::span<const std::byte> body);
  void tell_local(std::uint64_t token);
  bool take(Rank peer, std::uint64_t token, Pending& pending);
  void take_reply(Rank source, std::span<const std::byte> message);
  Status use(const Pending& pending, Code code, std::span<const std::byte> data) const;
  Status try_reply(Rank rank, std::span<const std::byte> head, std::span<const std::byte> data);
  void keep(Rank rank, std::span<const std::byte> head, std::span<const std::byte> data);
  template <class Match>
  void fail_matching(Match&& match, const Status& why);

  Outside& outside_;
  Progress& progress_;
  Peers& peers_;
  Messaging& messaging_;
  util::Mutex mutex_;  // of the next two
  std::uint64_t next_token_ = 1;
  std::unordered_map<std::uint64_t, Pending> pending_;
  util::Mutex backlog_mutex_;
  std::atomic<std::size_t> backlog_size_{0};
  std::deque<Unsent> backlog_;
};

}  // namespace polder::core
