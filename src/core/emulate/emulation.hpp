// One-sided operations by message, for memory that a device cannot reach itself: the initiator sends a request, a
// thread of the target carries it out and replies. Also the questions by which segments and groups are found where the
// tables of a peer are not mapped.
//
// A request is complete when its reply is here. emulation.cpp is the initiator's side, emulation_target.cpp the other
// one.
#pragma once

#include "core/direct/update.hpp"
#include "core/peers/peer.hpp"
#include "device/device.hpp"

#include <polder/accumulate.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace polder::core {

class Engine;

// The very segment that a request is for; its successor under the same id refuses the request.
struct NamedSegment {
  SegmentId id = 0;
  std::uint64_t generation = 0;
};

// A flag to raise behind the data.
struct NamedFlag {
  const Notification* notification = nullptr;  // beside notification->segment; null: none
  std::uint64_t generation = 0;                // of that segment
};

// A group as its owner answers for it: where it lies in the owner's table, and which commit it is.
struct FoundGroup {
  std::uint64_t index = 0;
  std::uint64_t nonce = 0;
  std::uint64_t generation = 0;  // of its segment; 0: not known
};

class Emulation {
 public:
  struct Request;  // what travels: core/emulate/emulation_wire.hpp
  struct Reply;

  explicit Emulation(Engine& engine) : engine_(engine) {}

  // All of these may return queue_full; then nothing was sent. The completion's local() and remote() are called as a
  // device would. Put and accumulate carry at most max_payload() bytes, get at most as many.
  std::size_t max_payload() const;

  Status put(Peer& peer, NamedSegment segment, const device::Piece& piece, const NamedFlag& flag,
             device::Completion* completion);
  Status get(Peer& peer, NamedSegment segment, const device::Piece& piece, device::Completion* completion);
  // `old` receives the value before it, zero-extended.
  Status update(Peer& peer, NamedSegment segment, std::uint64_t offset, const Update& update, std::uint64_t* old,
                device::Completion* completion);
  Status accumulate(Peer& peer, NamedSegment segment, const device::Piece& piece, const Accumulation& how,
                    device::Completion* completion);

  // The same for many pieces at once. `body` is as core/emulate/packing.hpp says, at most max_payload() bytes; of a get
  // it holds runs only, and `scatter` says where the pieces go.
  struct Packed {
    std::span<const std::byte> body;
    std::uint32_t runs = 0;
    std::uint64_t bytes = 0;  // of all pieces
  };
  Status put_packed(Peer& peer, NamedSegment segment, const Packed& packed, const NamedFlag& flag,
                    device::Completion* completion);
  Status get_packed(Peer& peer, NamedSegment segment, const Packed& packed, std::span<const device::Piece> scatter,
                    device::Completion* completion);
  Status accumulate_packed(Peer& peer, NamedSegment segment, const Packed& packed, const Accumulation& how,
                           device::Completion* completion);

  // Fills `answer` with a SegmentEntry; from then on the peer tells us when the segment ends. invalid_segment: there is
  // none.
  Status ask_for_segment(Peer& peer, SegmentId segment, std::byte* answer, device::Completion* completion);
  // Fills `answer` with a FoundGroup, as soon as the peer has announced a group of this tag.
  Status ask_for_group(Peer& peer, std::uint64_t tag, std::byte* answer, device::Completion* completion);
  // Complete when no operation of the peer is under way to `segment` and none will be.
  Status revoke(Peer& peer, NamedSegment segment, device::Completion* completion);

  // The peer's process ends; only if that cannot be done there is an answer before the link breaks.
  Status ask_to_end(Peer& peer, device::Completion* completion);
  // Nobody answers this.
  Status tell_of_death(Peer& peer, Rank dead);
  Status tell_of_doubt(Peer& peer, Rank teller, Rank lost);
  // `word`: see core/health/departures.hpp.
  Status tell_of_leaving(Peer& peer, Rank left, std::span<const std::byte> word);
  // Complete when the peer's helper has answered.
  Status ask_for_life(Peer& peer, device::Completion* completion);

  // A request or a reply has come.
  void deliver(Rank source, device::HandlerId handler, std::span<const std::byte> message);

  // While the result lives, no request of a peer is carried out; when it is here, none is being carried out.
  std::unique_lock<std::mutex> pause_serving() { return std::unique_lock(serving_); }

  // Sends replies that found no room, or had to wait. Returns how many.
  int flush_backlog();

  // Answers those who asked for the group.
  void group_announced(std::uint64_t tag);

  // Nothing will come from `rank` any more: completes all that waits for it with peer_failed.
  void fail_requests_to(Rank rank);
  // The same for all ranks, with `closed`.
  void fail_all();

 private:
  struct Pending {
    Rank peer = 0;
    device::Completion* completion = nullptr;
    std::byte* data = nullptr;  // of a get or a question
    std::uint64_t bytes = 0;
    std::uint64_t* old = nullptr;             // of an atomic
    std::vector<device::Piece> scatter = {};  // of a packed get
    bool local_told = false;
  };
  // A peer that has asked us for something that we do not have yet.
  struct Asker {
    Rank peer;
    std::uint64_t token;
    std::uint64_t tag;           // of the group that it wants to find
    const PeerSegment* segment;  // or: it waits until this rank uses the segment no more
  };
  struct Unsent {
    Rank peer;
    std::vector<std::byte> message;
  };

  Status send_request(Peer& peer, Request& request, std::span<const std::byte> body, Pending pending);
  void tell_local(std::uint64_t token);
  static void scatter(const Pending& pending, std::span<const std::byte> data);
  void serve(Rank source, const Request& request, std::span<const std::byte> body);
  Status check_sense(const Request& request, std::span<const std::byte> body) const;
  static Status check_typed(const Request& request, const PeerSegment& segment);
  Result<const PeerSegment*> find_own(SegmentId id, std::uint64_t generation);
  Status carry_out(Rank source, const Request& request, std::span<const std::byte> body, Reply& reply,
                   std::span<const std::byte>& data);
  static Status check_packed(const Request& request, const PeerSegment& segment, std::span<const std::byte> runs);
  Status carry_out_packed(const Request& request, const PeerSegment& segment, std::span<const std::byte> body,
                          std::span<const std::byte>& data);
  Status find_flagged(const Request& request, const PeerSegment*& flagged);
  void serve_group_question(Rank source, const Request& request);
  void serve_revocation(Rank source, const Request& request);
  void serve_end(Rank source, const Request& request);
  bool answer_group_question(const Asker& asker);
  int answer_askers();
  void send_reply(Rank peer, const Reply& reply, std::span<const std::byte> data);
  Status try_reply(Rank peer, std::span<const std::byte> head, std::span<const std::byte> data);
  void finish(const Reply& reply, std::span<const std::byte> data);
  bool take(std::uint64_t token, Pending& pending);
  template <class Match>
  void fail_matching(Match&& match, const Status& why);

  Engine& engine_;
  std::mutex mutex_;  // of pending_
  std::uint64_t next_token_ = 1;
  std::unordered_map<std::uint64_t, Pending> pending_;
  std::mutex serving_;
  SegmentEntry entry_;               // the answer to the question being served
  std::vector<std::byte> gathered_;  // likewise: the data of a packed get
  std::mutex askers_mutex_;
  std::vector<Asker> finders_;  // of groups
  std::vector<Asker> drains_;   // of segments
  std::atomic<std::size_t> draining_{0};
  std::mutex backlog_mutex_;
  std::atomic<std::size_t> backlog_size_{0};
  std::deque<Unsent> backlog_;
};

}  // namespace polder::core
