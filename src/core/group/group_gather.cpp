// Gathering small contributions of all members of a group.
#include "core/group/busy.hpp"
#include "core/group/group_state.hpp"
#include "core/group/group_wait.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/post/transfer.hpp"
#include "core/progress/outside.hpp"
#include "core/segment/peer_segments.hpp"
#include "trace/record/span.hpp"
#include "util/deadline.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace polder::core {
void GroupState::define_in_trace() const {
  if (trace::Recorder* recorder = ports_.outside.recorder()) recorder->define_group(trace_tag(), ranks_);
}

Status GroupState::check_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
  if (Status status = check_committed(); !status.ok()) return status;
  if (mine.size() <= Group::kMaxGather && all.size() == mine.size() * ranks_.size()) return {};
  return {Code::invalid_size, "allgather of " + std::to_string(mine.size()) + " bytes into " +
                                  std::to_string(all.size()) + ": at most " + std::to_string(Group::kMaxGather) +
                                  " a member, room for " + std::to_string(ranks_.size())};
}

// Each member shows its part on a board of its own and, once all have met, reads the others'. Two boards in turn: who
// writes the next one knows by the barrier in between that all have read the one before.
Status GroupState::allgather(std::span<const std::byte> mine, std::span<std::byte> all, Timeout timeout,
                             std::uint16_t combines) {
  trace::Span span(ports_.outside.recorder(), trace::EventKind::allgather,
                   {.segment = trace_tag(), .bytes = mine.size()});
  return span.outcome(allgather_untraced(mine, all, {mine.size(), combines}, timeout));
}

Status GroupState::allgather_untraced(std::span<const std::byte> mine, std::span<std::byte> all, const BoardCall& call,
                                      Timeout timeout) {
  if (Status status = check_gather(mine, all); !status.ok()) return status;
  const Busy running(busy_[1]);
  if (!running.mine()) return busy("gathering collective");
  if (!mismatch_.ok()) return mismatch_;
  if (Status status = check_resumed(mine.size()); !status.ok()) return status;
  Status status = flat_ ? exchange(mine, all, call, timeout) : gather_on(mine, all, call, timeout);
  if (status.code() == Code::invalid_argument) mismatch_ = status;
  return status;
}

Status GroupState::gather_on(std::span<const std::byte> mine, std::span<std::byte> all, const BoardCall& call,
                             Timeout timeout) {
  const util::Deadline deadline(timeout, ports_.clock);
  const auto left = [&] { return deadline.remaining(); };
  if (gather_stage_ == GatherStage::idle) {
    if (Status status = find_all_memories(left()); !status.ok()) return status;
    GroupMemory::Board& own = memory().board[parity_];
    if (!mine.empty()) std::memcpy(own.data, mine.data(), mine.size());
    own.number.store(std::uint64_t{call.print()} << 32, std::memory_order_relaxed);
    gathered_ = 0;
    if (!nodes_.one()) parts_.resize(all.size());
    gather_stage_ = GatherStage::meeting;
    gathering_ = mine.size();
  }
  if (gather_stage_ == GatherStage::meeting) {
    if (Status status = gather_barrier_.run(left()); !status.ok()) return status;
    gather_stage_ = GatherStage::reading;
  }
  if (gather_stage_ == GatherStage::reading) {
    if (Status status = nodes_.one() ? read_own_node(all, call) : read_boards(all, left()); !status.ok()) return status;
    gather_stage_ = GatherStage::leaving;
  }
  // Over a network a member must not leave, and take its memory away, before all have read it. What is mapped stays
  // readable.
  if (!nodes_.one())
    if (Status status = gather_barrier_.run(left()); !status.ok()) return status;
  gather_stage_ = GatherStage::idle;
  gathering_.reset();
  parity_ ^= 1;
  return {};
}

// What one that timed out has shown is there already, so only the same may go on.
Status GroupState::check_resumed(std::size_t bytes) const {
  if (!gathering_ || *gathering_ == bytes) return {};
  if (Status status = ports_.peers.check_healthy(ranks_); !status.ok()) return status;
  return {Code::busy, "allgather or allreduce of " + std::to_string(bytes) + " bytes of " +
                          name_of_group(ports_, ranks_) + ", in which one of " + std::to_string(*gathering_) +
                          " bytes has timed out: call that again"};
}

Status GroupState::exchange(std::span<const std::byte> mine, std::span<std::byte> all, const BoardCall& call,
                            Timeout timeout) {
  if (Status status = ports_.peers.check_open(); !status.ok()) return status;
  if (!exchange_.is_set_up())
    if (Status status = set_up_exchange(timeout); !status.ok()) return status;
  gathering_ = mine.size();
  Status status = exchange_.run(mine, all, call, timeout);
  if (status.ok()) gathering_.reset();
  return status;
}

Status GroupState::set_up_exchange(Timeout timeout) {
  if (Status status = find_all_memories(timeout); !status.ok()) return status;
  std::vector<const PeerSegment*> memories;
  for (const MemberMemory& memory : memories_) memories.push_back(memory.segment);
  exchange_.set_up(ports_, ranks_, index_, std::move(memories));
  return {};
}

namespace {

std::uint64_t board_offset(unsigned parity) {
  return offsetof(GroupMemory, board) + parity * sizeof(GroupMemory::Board) + offsetof(GroupMemory::Board, data);
}

}  // namespace

// Boards that can all be loaded need no room between: with many members it would be written while it is not in a cache.
Status GroupState::read_own_node(std::span<std::byte> all, const BoardCall& call) const {
  std::byte* into = all.data();
  for (Rank member = 0; member < memories_.size(); ++member) {
    const std::byte* const from = memories_[member].segment->data;
    const auto& number = reinterpret_cast<const GroupMemory*>(from)->board[parity_].number;
    if (Status status = call.check(number.load(std::memory_order_relaxed), ranks_[member]); !status.ok()) return status;
    if (call.bytes == 0) continue;
    std::memcpy(into, from + board_offset(parity_), call.bytes);
    into += call.bytes;
  }
  return {};
}

// Boards that cannot be loaded are all on their way at the same time. After a timeout they stay so, and the next call
// waits for the same ones. They arrive in memory of the group: after an error some may come when the caller's is gone.
Status GroupState::read_boards(std::span<std::byte> all, Timeout timeout) {
  const util::Deadline deadline(timeout, ports_.clock);
  const auto left = [&] { return deadline.remaining(); };
  const std::size_t part = parts_.size() / ranks_.size();
  const std::uint64_t offset = board_offset(parity_);
  for (; part != 0 && gathered_ < ranks_.size(); ++gathered_) {
    std::byte* into = parts_.data() + gathered_ * part;
    const MemberMemory& from = memories_[gathered_];
    if (from.segment->data != nullptr) {
      std::memcpy(into, from.segment->data + offset, part);
      continue;
    }
    const Shape shape(part);
    const GlobalAddress board{ranks_[gathered_], from.id, offset};
    Status status = ports_.one_sided.transfer(
        {Transfer::Kind::get, into, board, shape, nullptr, Post(*reads_, left()), from.segment});
    if (status.code() == Code::invalid_segment)
      return {Code::invalid_group, "allgather: rank " + std::to_string(ranks_[gathered_]) + " has deleted the group"};
    if (!status.ok()) return status.code() == Code::queue_full ? Status(Code::timeout) : status;
  }
  if (Status status = reads_->wait(Completion::remote, left()); !status.ok()) return status;
  if (!all.empty()) std::memcpy(all.data(), parts_.data(), all.size());
  return {};
}

}  // namespace polder::core
