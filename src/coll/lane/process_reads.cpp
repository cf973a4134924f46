#include "coll/lane/process_reads.hpp"

#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/segment/peer_segment.hpp"
#include "util/assert.hpp"
#include "util/cross_attach.hpp"
#include "util/deadline.hpp"
#include "util/random.hpp"

#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include <unistd.h>

namespace polder::coll {

ProcessReads::ProcessReads(core::GroupState& group, Find find, bool allowed)
    : group_(group), find_(std::move(find)), own_(in(group.own())), tried_(group.nodes().beside().size()) {
  if (!allowed) {
    own_.reads.store(ReadableProcess::Reads::not_all, std::memory_order_release);
    state_.store(State::impossible, std::memory_order_relaxed);
  }
  own_.pid = getpid();
  own_.seal_at = std::bit_cast<std::uintptr_t>(&own_.seal);
  own_.seal = util::mix(std::uint64_t(util::now_ns()) ^ util::mix(own_.seal_at ^ std::uint64_t(own_.pid) << 48));
  own_.shown.store(1, std::memory_order_release);
}

ReadableProcess& ProcessReads::in(const core::PeerSegment& memory) const {
  return *reinterpret_cast<ReadableProcess*>(memory.data + group_.letters().process());
}

// Null: it is not there yet.
const ReadableProcess* ProcessReads::of(Rank member) const {
  const core::PeerSegment* const memory = find_(member);
  return memory == nullptr ? nullptr : &in(*memory);
}

bool ProcessReads::find_out() {
  if (state_.load(std::memory_order_relaxed) == State::impossible) return false;
  const std::unique_lock looking(looking_, std::try_to_lock);
  if (!looking.owns_lock()) return false;
  const State state = look();
  state_.store(state, std::memory_order_release);
  return state == State::possible;
}

// REQUIRES: looking_ is held.
ProcessReads::State ProcessReads::look() {
  const auto beside = group_.nodes().beside();
  bool all_shown = true, all_read = true;
  for (std::size_t at = 0; at < beside.size(); ++at) {
    const ReadableProcess* const process = of(beside[at]);
    if (process == nullptr || process->shown.load(std::memory_order_acquire) == 0) {
      all_shown = false;
      continue;
    }
    if (!tried_[at] && !reads(*process)) {
      own_.reads.store(ReadableProcess::Reads::not_all, std::memory_order_release);
      return State::impossible;
    }
    tried_[at] = true;
  }
  if (!all_shown) return State::unknown;
  own_.reads.store(ReadableProcess::Reads::all, std::memory_order_release);
  for (const Rank member : beside) {
    const ReadableProcess* const process = of(member);
    const auto says =
        process == nullptr ? ReadableProcess::Reads::unknown : process->reads.load(std::memory_order_acquire);
    if (says == ReadableProcess::Reads::not_all) return State::impossible;
    all_read = all_read && says == ReadableProcess::Reads::all;
  }
  return all_read ? State::possible : State::unknown;
}

// In a container of its own a process may show the number of another one here.
bool ProcessReads::reads(const ReadableProcess& process) const {
  std::uint64_t found = 0;
  iovec into{&found, sizeof found}, from{reinterpret_cast<void*>(process.seal_at), sizeof found};
  return util::cross_copy(util::CrossDirection::read, process.pid, {&into, 1}, {&from, 1}).ok() &&
         found == process.seal;
}

Status ProcessReads::read(const core::PeerSegment& member, std::uint64_t at, std::span<const iovec> into) {
  POLDER_ASSERT(member.data != nullptr && into.size() <= kPieces);
  const ReadableProcess& process = in(member);
  iovec local[kPieces + 1];
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < into.size(); ++i) bytes += (local[i] = into[i]).iov_len;
  std::uint64_t seal = 0;
  local[into.size()] = {&seal, sizeof seal};
  iovec remote[] = {{reinterpret_cast<void*>(at), bytes}, {reinterpret_cast<void*>(process.seal_at), sizeof seal}};
  Status status = util::cross_copy(util::CrossDirection::read, process.pid, {local, into.size() + 1}, remote);
  if (status.ok() && seal != process.seal)
    return {Code::peer_failed, "rank " + std::to_string(member.rank) + " is gone", Died::peer};
  // One that has died may have been a thread of a process that lives, and its memory somebody else's by now.
  core::Peers& peers = group_.ports().peers;
  return status.ok() && peers.is_gone(member.rank) ? peers.gone(member.rank) : status;
}

}  // namespace polder::coll
