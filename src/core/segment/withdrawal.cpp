#include "core/segment/withdrawal.hpp"

#include "core/message/requests.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/waits.hpp"
#include "core/segment/peer_segment.hpp"
#include "core/segment/segment_messages.hpp"
#include "util/assert.hpp"

#include <utility>

namespace polder::core {

Withdrawal::Withdrawal(Progress& progress, Peers& peers, Requests& requests, LocalSegment local)
    : progress_(progress),
      peers_(peers),
      requests_(requests),
      local_(std::move(local)),
      unanswered_(local_.importers.size()),
      untold_(local_.importers) {}

bool Withdrawal::in_use() const {
  return local_.own->users.load(std::memory_order_seq_cst) != 0;
}

int Withdrawal::tell() {
  std::unique_lock lock(telling_, std::try_to_lock);
  if (!lock.owns_lock()) return 0;
  return int(std::erase_if(untold_, [this](Rank importer) { return tell(importer); }));
}

// False: the device has no room for it now.
bool Withdrawal::tell(Rank importer) {
  auto peer = peers_.connect(importer, Timeout::test());
  RevokeSegment request;
  request.segment = local_.segment.id;
  request.generation = local_.entry.generation;
  Status status =
      peer.ok() ? requests_.call(**peer, number::kRevoke, request, {}, {.completion = this}) : std::move(peer).status();
  if (status.ok()) return true;
  if (status.code() == Code::queue_full || status.timed_out()) return false;
  remote(status);  // it is gone
  return true;
}

// Whatever the status: a peer that cannot be reached does not use the segment.
void Withdrawal::remote(const Status&) {
  Progress& progress = progress_;  // with the last answer this object may go
  [[maybe_unused]] const auto before = unanswered_.fetch_sub(1, std::memory_order_acq_rel);
  POLDER_ASSERT(before > 0);
  ring_completions(progress);
}

}  // namespace polder::core
