// Put, get and their notifying kin, for all shapes and all kinds of memory: the road behind the fast path of Runtime.
#pragma once

#include "core/post/transfer.hpp"

#include <polder/queue.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

namespace polder::core {

struct PeerSegment;
struct PostParts;

// Checks everything, then copies or posts.
Status post_transfer(PostParts& parts, const Transfer& transfer);

// A flag alone.
Status post_flag(PostParts& parts, Rank rank, SegmentId segment, const Notification& notification, const Post& post);

// A flag alone in this very segment, unchecked.
Status post_flag(PostParts& parts, Rank rank, SegmentId id, const PeerSegment& segment,
                 const Notification& notification, const Post& post, Urgency urgency = Urgency::awaited);

// Unchecked; what the owner has closed refuses it, and raises no flag. REQUIRES: the segment is not mapped, and the device reaches it.
Status post_to_window(PostParts& parts, const WindowPut& put, const PeerSegment& segment, const Post& post);

}  // namespace polder::core
