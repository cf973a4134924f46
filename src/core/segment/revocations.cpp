#include "core/segment/revocations.hpp"

#include "core/progress/progress.hpp"
#include "core/segment/peer_segments.hpp"
#include "core/segment/segment_messages.hpp"

namespace polder::core {

Revocations::Revocations(Progress& progress, PeerSegments& segments, Requests& requests)
    : segments_(segments), requests_(requests) {
  progress.add(*this);
  requests.serve(number::kRevoke, [this](const Request& request) { revoke(request); });
}

void Revocations::revoke(const Request& request) {
  RevokeSegment wanted;
  Decoder decoder(request.message);
  if (!decoder.take(wanted) || !decoder.done() || wanted.segment >= kSegmentIdLimit)
    return requests_.reply(request.caller, Code::invalid_argument);
  const PeerSegment* in_use = nullptr;
  if (segments_.revoke(request.caller.rank, SegmentId(wanted.segment), wanted.generation, in_use))
    return requests_.reply(request.caller, Code::ok);
  std::lock_guard lock(mutex_);
  waiting_.push_back({request.caller, in_use});
  count_.store(waiting_.size(), std::memory_order_release);
}

int Revocations::attend() {
  if (count_.load(std::memory_order_acquire) == 0) return 0;
  std::lock_guard lock(mutex_);
  const auto answered = std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (waiting.segment->users.load(std::memory_order_seq_cst) != 0) return false;
    requests_.reply(waiting.owner, Code::ok);
    return true;
  });
  count_.store(waiting_.size(), std::memory_order_release);
  return int(answered);
}

}  // namespace polder::core
