// One-sided operations by message, for memory that a device cannot reach itself: the initiator sends a request, a
// thread of the target carries it out and replies.
//
// A request is complete, locally and remotely, when its reply is here.
#pragma once

#include "core/peer.hpp"
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

// Stands for a rank's root memory in a request.
inline constexpr SegmentId kRootSegment = kAnySegment - 1;

class Emulation {
 public:
  explicit Emulation(Engine& engine) : engine_(engine) {}

  // All of these may return queue_full; then nothing was sent. The completion's local() and remote() are called as a
  // device would. Put and accumulate carry at most max_payload() bytes, get at most as many.
  std::size_t max_payload() const;

  // `flag`, if not null, is raised behind the data, beside flag->segment.
  Status put(Peer& peer, SegmentId segment, const device::Piece& piece, const Notification* flag,
             device::Completion* completion);
  Status get(Peer& peer, SegmentId segment, const device::Piece& piece, device::Completion* completion);
  Status atomic(Peer& peer, SegmentId segment, const device::AtomicRequest& request, device::Completion* completion);
  Status accumulate(Peer& peer, SegmentId segment, const device::Piece& piece, const Accumulation& how,
                    device::Completion* completion);

  // The same for many pieces at once. `body` is as core/packing.hpp says, at most max_payload() bytes; of a get it
  // holds runs only, and `scatter` says where the pieces go.
  struct Packed {
    std::span<const std::byte> body;
    std::uint32_t runs = 0;
    std::uint64_t bytes = 0;  // of all pieces
  };
  Status put_packed(Peer& peer, SegmentId segment, const Packed& packed, const Notification* flag,
                    device::Completion* completion);
  Status get_packed(Peer& peer, SegmentId segment, const Packed& packed, std::span<const device::Piece> scatter,
                    device::Completion* completion);
  Status accumulate_packed(Peer& peer, SegmentId segment, const Packed& packed, const Accumulation& how,
                           device::Completion* completion);

  // A request or a reply has come.
  void deliver(Rank source, device::HandlerId handler, std::span<const std::byte> message);

  // While the result lives, no request of a peer is carried out; when it is here, none is being carried out.
  std::unique_lock<std::mutex> pause_serving() { return std::unique_lock(serving_); }

  // Sends replies that found no room. Returns how many.
  int flush_backlog();

  // Nothing will come from `rank` any more: completes all that waits for it with peer_failed.
  void fail_requests_to(Rank rank);
  // The same for all ranks, with `closed`.
  void fail_all();

 private:
  struct Request;
  struct Reply;
  struct Pending {
    Rank peer = 0;
    device::Completion* completion = nullptr;
    std::byte* data = nullptr;  // of a get
    std::uint64_t bytes = 0;
    std::uint64_t* old = nullptr;             // of an atomic
    std::vector<device::Piece> scatter = {};  // of a packed get
    bool local_told = false;
  };
  struct Unsent {
    Rank peer;
    std::vector<std::byte> message;
  };

  Status send_request(Peer& peer, Request& request, std::span<const std::byte> body, Pending pending);
  void tell_local(std::uint64_t token);
  static void scatter(const Pending& pending, std::span<const std::byte> data);
  void serve(Rank source, const Request& request, std::span<const std::byte> body);
  std::span<const std::byte> copy_of_root(std::uint64_t offset, std::size_t bytes);
  static Status check_typed(const Request& request, const PeerSegment& segment);
  Status carry_out(const Request& request, std::span<const std::byte> body, Reply& reply,
                   std::span<const std::byte>& data);
  static Status check_packed(const Request& request, const PeerSegment& segment, std::span<const std::byte> runs);
  Status carry_out_packed(const Request& request, const PeerSegment& segment, std::span<const std::byte> body,
                          std::span<const std::byte>& data);
  Status raise_requested(const Request& request);
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
  std::vector<std::byte> root_copy_;  // of the request being served
  std::vector<std::byte> gathered_;   // likewise: the data of a packed get
  std::mutex backlog_mutex_;
  std::atomic<std::size_t> backlog_size_{0};
  std::deque<Unsent> backlog_;
};

}  // namespace polder::core
