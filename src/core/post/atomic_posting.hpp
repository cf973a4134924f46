// Posting an atomic to memory that cannot be loaded and stored here: the device carries it out, or its owner by
// message.
#pragma once

#include "core/direct/update.hpp"
#include "core/segment/peer_segment.hpp"
#include "device/completion_sink.hpp"
#include "util/deadline.hpp"

#include <polder/ordering.hpp>
#include <polder/queue.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstdint>

namespace polder::core {

struct Peer;
struct PostParts;

// Checks everything, changes the word or posts that, and stores the low bytes of the old value at `old`, if that is
// not null: before it returns, or before local completion.
Status post_atomic(PostParts& parts, GlobalAddress target, const Update& update, void* old, const Post& post);

// ---- the parts that it shares with atomics whose caller waits ----

// The segment of the word, if the update is one and the word lies in it.
Result<const PeerSegment*> find_word(PostParts& parts, GlobalAddress target, const Update& update, Timeout timeout);

// Waits for what the update must come after. queue_full: that is still under way.
Status let_earlier_pass(PostParts& parts, GlobalAddress target, const PeerSegment& segment, const Update& update,
                        Ordering ordering, const util::Deadline& deadline);

inline bool is_done_by_device(const PeerSegment& segment, const Update& update) {
  return segment.data_region.atomics && update.devices_know();
}

// Hands it to the device, or to its owner. `operation` is a completion that can hold() a segment, and leaves the old
// value in `*old`.
Status hand_to_device(PostParts& parts, Peer& peer, GlobalAddress target, const PeerSegment& segment,
                      const Update& update, std::uint64_t* old, device::CompletionSink* completion);
Status hand_to_owner(PostParts& parts, Peer& peer, GlobalAddress target, const PeerSegment& segment,
                     const Update& update, std::uint64_t* old, device::CompletionSink* completion);
Status deleted_meanwhile(GlobalAddress target, const Update& update);

template <class Operation>
Status hand_over(PostParts& parts, Peer& peer, GlobalAddress target, const PeerSegment& segment, const Update& update,
                 std::uint64_t* old, Operation& operation) {
  if (!is_done_by_device(segment, update)) return hand_to_owner(parts, peer, target, segment, update, old, &operation);
  if (!operation.hold(segment)) return deleted_meanwhile(target, update);
  return hand_to_device(parts, peer, target, segment, update, old, &operation);
}

}  // namespace polder::core
