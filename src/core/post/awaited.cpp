#include "core/post/awaited.hpp"

#include "bootstrap/standing.hpp"
#include "core/direct/update_direct.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/post/atomic_posting.hpp"
#include "core/post/parts.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "core/segment/peer_segments.hpp"
#include "util/assert.hpp"
#include "util/deadline.hpp"

#include <atomic>
#include <string>
#include <utility>

namespace polder::core {
namespace {

// Shared between the waiting caller and the device, because the caller may give up first: the last of both frees it,
// and the answer lands in memory of its own.
class Awaited final : public device::CompletionSink {
 public:
  explicit Awaited(const PostPorts& ports) : ports_(ports) {}

  // Before the device is asked: the segment stays there until the end.
  bool hold(const PeerSegment& segment) {
    if (held_ != nullptr || segment.control != nullptr) return true;
    if (!segment.enter()) return false;
    held_ = &segment;
    return true;
  }
  // The device did not accept it.
  void withdraw() {
    let_go();
    release();
  }

  void local() override {}
  void remote(const Status& status) override {
    status_ = status;
    Progress& progress = ports_.progress;
    let_go();
    done_.store(true, std::memory_order_release);
    release();
    ring_completions(progress);
  }

  Status wait(Peer& peer, Timeout timeout) {
    Status waited = wait_for(
        ports_.progress, [&] { return done_.load(std::memory_order_acquire); },
        [&] { return ports_.peers.trouble_with(peer); }, timeout,
        [&](bootstrap::LongWait& wait) {
          wait.say("for the answer to an atomic operation");
          wait.wait_for(peer.rank);
        });
    return waited.ok() ? status_ : waited;
  }

  void release() {
    const int before = owners_.fetch_sub(1, std::memory_order_acq_rel);
    POLDER_ASSERT(before == 1 || before == 2);
    if (before == 1) delete this;
  }

  std::uint64_t old = 0;

 private:
  ~Awaited() = default;
  void let_go() {
    if (const PeerSegment* segment = std::exchange(held_, nullptr); segment != nullptr && segment->leave())
      wake_helper(ports_.progress);  // the helper answers the segment's owner
  }

  const PostPorts& ports_;
  const PeerSegment* held_ = nullptr;
  std::atomic<int> owners_{2};
  std::atomic<bool> done_{false};
  Status status_;
};

// Who waits for the answer does not care how far the update has come.
Status in_time(Status status) {
  return status.code() == Code::queue_full ? Status(Code::timeout) : std::move(status);
}

// Posts and waits; `post(awaited)` hands the operation to whoever completes it.
template <class Post, class Use>
Status run(PostParts& parts, Peer& peer, Timeout timeout, Post&& post, Use&& use) {
  const util::Deadline deadline(timeout, parts.ports.clock);
  auto* awaited = new Awaited(parts.ports);
  Status status = parts.ports.peers.post_until_accepted(
      peer, [&] { return post(*awaited); }, timeout);
  if (!status.ok()) {
    awaited->withdraw();
  } else {
    status = awaited->wait(peer, deadline.remaining());
  }
  if (status.ok()) use(*awaited);
  awaited->release();
  return status;
}

Result<std::uint64_t> remote_atomic(PostParts& parts, Peer& peer, GlobalAddress target, const PeerSegment& segment,
                                    const Update& update, Timeout timeout) {
  std::uint64_t old = 0;
  const auto post = [&](Awaited& awaited) {
    return hand_over(parts, peer, target, segment, update, &awaited.old, awaited);
  };
  Status status = run(parts, peer, timeout, post, [&](Awaited& awaited) { old = awaited.old; });
  if (!status.ok()) return in_time(std::move(status));
  return old;
}

}  // namespace

Result<std::uint64_t> atomic(PostParts& parts, GlobalAddress target, const Update& update, Timeout timeout) {
  const util::Deadline deadline(timeout, parts.ports.clock);
  auto segment = find_word(parts, target, update, timeout);
  if (!segment.ok()) return std::move(segment).status();
  if (is_direct(**segment, update))
    return update_direct(parts.ports.outside, parts.ports.progress, **segment, target.offset, update,
                         deadline.remaining());
  Peer& peer = parts.ports.peers.at(target.rank);
  if (Status status = let_earlier_pass(parts, target, **segment, update, Ordering::inherit, deadline); !status.ok())
    return in_time(std::move(status));
  return remote_atomic(parts, peer, target, **segment, update, deadline.remaining());
}

}  // namespace polder::core
