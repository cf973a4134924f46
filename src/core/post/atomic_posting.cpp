#include "core/post/atomic_posting.hpp"

#include "core/direct/update_direct.hpp"
#include "core/emulate/emulation.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/post/order.hpp"
#include "core/post/parts.hpp"
#include "core/post/post_check.hpp"
#include "core/post/queue_state.hpp"
#include "core/post/transfer.hpp"
#include "core/post/until.hpp"
#include "core/progress/outside.hpp"
#include "core/segment/hazards.hpp"
#include "core/segment/peer_segments.hpp"

#include <cstring>

namespace polder::core {
namespace {

const char* name_of(const Update& update) {
  return update.kind == Update::Kind::word ? "atomic" : "fetch_accumulate";
}

Status post(PostParts& parts, Peer& peer, GlobalAddress target, const PeerSegment& segment, const Update& update,
            void* old, const Post& post) {
  const util::Deadline deadline(post.timeout, parts.ports.clock);
  QueueState& queue = parts.queues.of(post);
  if (Status status = queue.admit(post.timeout); !status.ok()) return status;
  Hazards& hazards = parts.ports.segments.hazards_of(target.rank, target.segment);
  const bool by_device = is_done_by_device(segment, update);
  Operation* operation = parts.pool.take();
  operation->begin({.queue = &queue,
                    .peer = &peer,
                    .segment = &parts.ledger.of_segment(target.segment),
                    .emulated = !by_device,
                    .reads = true,
                    .handle = post.handle == nullptr ? nullptr : &HandleState::of(parts.ledger, *post.handle),
                    .ranges = by_device ? &hazards.puts : &hazards.messages,
                    .range = {target.offset, target.offset + update.width}});
  std::uint64_t* fetched = operation->fetch_to(old, update.width);
  Status status = parts.ports.peers.post_until_accepted(
      peer, [&] { return hand_over(parts, peer, target, segment, update, fetched, *operation); }, deadline.remaining());
  if (!status.ok()) operation->withdraw();
  return status;
}

}  // namespace

Result<const PeerSegment*> find_word(PostParts& parts, GlobalAddress target, const Update& update, Timeout timeout) {
  if (Status status = check_update(update); !status.ok()) return status;
  return parts.ports.segments.checked(target.rank, target.segment, timeout, [&](const PeerSegment& with) {
    Status status = check_range(name_of(update), with, target, update.width);
    return status.ok() ? check_alignment(name_of(update), with, target, update.width, update.width) : status;
  });
}

Status let_earlier_pass(PostParts& parts, GlobalAddress target, const PeerSegment& segment, const Update& update,
                        Ordering ordering, const util::Deadline& deadline) {
  const Access access = is_done_by_device(segment, update) ? Access::atomic_by_device : Access::atomic_by_message;
  return wait_for_earlier(parts, {target, access, {target.offset, target.offset + update.width}, ordering}, deadline);
}

Status hand_to_device(PostParts& parts, Peer& peer, GlobalAddress target, const PeerSegment& segment,
                      const Update& update, std::uint64_t* old, device::CompletionSink* completion) {
  const device::AtomicRequest request{.op = update.op,
                                      .width = update.width,
                                      .offset = target.offset + segment.data_offset,
                                      .operand = update.operand,
                                      .compare = update.compare,
                                      .old = old};
  return parts.ports.outside.device->atomic(peer.rank, segment.data_region, request, completion);
}

Status hand_to_owner(PostParts& parts, Peer& peer, GlobalAddress target, const PeerSegment& segment,
                     const Update& update, std::uint64_t* old, device::CompletionSink* completion) {
  return parts.ports.emulation.update(peer, {target.segment, segment.generation}, target.offset, update, old,
                                      completion);
}

Status deleted_meanwhile(GlobalAddress target, const Update& update) {
  return {Code::invalid_segment,
          describe(name_of(update), target, update.width) + ": the segment was deleted meanwhile"};
}

Status post_atomic(PostParts& parts, GlobalAddress target, const Update& update, void* old, const Post& wanted) {
  const util::Deadline deadline(wanted.timeout, parts.ports.clock);
  if (Status status = check_post(wanted); !status.ok()) return status;
  auto found = find_word(parts, target, update, wanted.timeout);
  if (!found.ok()) return std::move(found).status();
  const PeerSegment& segment = **found;
  if (is_direct(segment, update)) {
    auto value =
        update_direct(parts.ports.outside, parts.ports.progress, segment, target.offset, update, deadline.remaining());
    if (value.ok() && old != nullptr) std::memcpy(old, &*value, update.width);
    return std::move(value).status();
  }
  Peer& peer = parts.ports.peers.at(target.rank);
  if (Status status = let_earlier_pass(parts, target, segment, update, wanted.ordering, deadline); !status.ok())
    return status;
  Post rest = wanted;
  rest.timeout = deadline.remaining();
  return until_complete(rest, parts.ports.clock,
                        [&](const Post& how) { return post(parts, peer, target, segment, update, old, how); });
}

}  // namespace polder::core
