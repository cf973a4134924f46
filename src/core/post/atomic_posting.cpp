#include "core/post/atomic_posting.hpp"

#include "core/direct/update_direct.hpp"
#include "core/engine/engine.hpp"
#include "core/post/order.hpp"
#include "core/post/transfer.hpp"
#include "core/post/until.hpp"

#include <cstring>

namespace polder::core {
namespace {

const char* name_of(const Update& update) {
  return update.kind == Update::Kind::word ? "atomic" : "fetch_accumulate";
}

Status post(Engine& engine, Peer& peer, GlobalAddress target, const PeerSegment& segment, const Update& update,
            void* old, const Post& post) {
  const util::Deadline deadline(post.timeout);
  QueueState& queue = (post.queue != nullptr ? post.queue : engine.default_queue.get())->state();
  if (Status status = queue.admit(post.timeout); !status.ok()) return status;
  Hazards& hazards = engine.hazards_of(peer, target.segment);
  const bool by_device = is_done_by_device(segment, update);
  Operation* operation = engine.pool.take();
  operation->begin({.queue = &queue,
                    .peer = &peer,
                    .segment = &engine.segment_operations(target.segment),
                    .emulated = !by_device,
                    .reads = true,
                    .handle = post.handle == nullptr ? nullptr : &HandleState::of(engine, *post.handle),
                    .ranges = by_device ? &hazards.puts : &hazards.messages,
                    .range = {target.offset, target.offset + update.width}});
  std::uint64_t* fetched = operation->fetch_to(old, update.width);
  Status status = engine.post_until_accepted(
      peer, [&] { return hand_over(engine, peer, target, segment, update, fetched, *operation); },
      deadline.remaining());
  if (!status.ok()) operation->withdraw();
  return status;
}

}  // namespace

Result<const PeerSegment*> find_word(Engine& engine, GlobalAddress target, const Update& update, Timeout timeout) {
  if (Status status = check_update(update); !status.ok()) return status;
  return engine.peers.checked(target.rank, target.segment, timeout, [&](const PeerSegment& with) {
    Status status = check_range(name_of(update), with, target, update.width);
    return status.ok() ? check_alignment(name_of(update), with, target, update.width, update.width) : status;
  });
}

Status let_earlier_pass(Engine& engine, Peer& peer, GlobalAddress target, const PeerSegment& segment,
                        const Update& update, Ordering ordering, Timeout timeout) {
  const Access access = is_done_by_device(segment, update) ? Access::atomic_by_device : Access::atomic_by_message;
  return wait_for_earlier(engine, engine.hazards_of(peer, target.segment), access,
                          {target.offset, target.offset + update.width}, ordering, timeout);
}

Status hand_to_device(Engine& engine, Peer& peer, GlobalAddress target, const PeerSegment& segment,
                      const Update& update, std::uint64_t* old, device::Completion* completion) {
  const device::AtomicRequest request{.op = update.op,
                                      .width = update.width,
                                      .offset = target.offset + segment.data_offset,
                                      .operand = update.operand,
                                      .compare = update.compare,
                                      .old = old};
  return engine.device->atomic(peer.rank, segment.data_region, request, completion);
}

Status hand_to_owner(Engine& engine, Peer& peer, GlobalAddress target, const PeerSegment& segment, const Update& update,
                     std::uint64_t* old, device::Completion* completion) {
  return engine.emulation.update(peer, {target.segment, segment.generation}, target.offset, update, old, completion);
}

Status deleted_meanwhile(GlobalAddress target, const Update& update) {
  return {Code::invalid_segment,
          describe(name_of(update), target, update.width) + ": the segment was deleted meanwhile"};
}

Status post_atomic(Engine& engine, GlobalAddress target, const Update& update, void* old, const Post& wanted) {
  const util::Deadline deadline(wanted.timeout);
  auto found = find_word(engine, target, update, wanted.timeout);
  if (!found.ok()) return std::move(found).status();
  const PeerSegment& segment = **found;
  if (is_direct(segment, update)) {
    auto value = update_direct(engine, segment, target.offset, update, wanted.timeout);
    if (value.ok() && old != nullptr) std::memcpy(old, &*value, update.width);
    return std::move(value).status();
  }
  Peer& peer = engine.peers.at(target.rank);
  if (Status status = let_earlier_pass(engine, peer, target, segment, update, wanted.ordering, wanted.timeout);
      !status.ok())
    return status;
  Post rest = wanted;
  rest.timeout = deadline.remaining();
  return until_complete(rest, [&](const Post& how) { return post(engine, peer, target, segment, update, old, how); });
}

}  // namespace polder::core
