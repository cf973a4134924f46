#include "core/group/board_exchange.hpp"

#include "core/group/group_wait.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/waits.hpp"
#include "util/deadline.hpp"
#include "util/outside_order.hpp"
#include "util/waiting.hpp"

#include <cstring>
#include <optional>
#include <utility>

namespace polder::core {

void BoardExchange::set_up(const GroupPorts& ports, std::span<const Rank> ranks, Rank index,
                           std::vector<const PeerSegment*> memories) {
  ports_ = &ports;
  ranks_ = ranks;
  index_ = index;
  memories_ = std::move(memories);
}

Status BoardExchange::run(std::span<const std::byte> mine, std::span<std::byte> all, const BoardCall& call,
                          Timeout timeout) {
  if (!under_way_) {
    ++sequence_;
    collected_ = 0;
    under_way_ = true;
    show(mine, call);
  }
  std::optional<util::Deadline> deadline;  // asks the clock only where a member keeps us waiting
  for (; collected_ < ranks_.size(); ++collected_) {
    const GroupMemory::Board& from = board(collected_);
    if (!is_near(from)) {
      if (!deadline) deadline.emplace(timeout, ports_->clock);
      if (Status status = await(from, deadline->remaining()); !status.ok()) return status;
    }
    util::hear_outside();
    if (Status status = call.check(from.number.load(std::memory_order_relaxed), ranks_[collected_]); !status.ok())
      return status;
    if (!mine.empty()) std::memcpy(all.data() + collected_ * mine.size(), from.data, mine.size());
  }
  under_way_ = false;
  return {};
}

void BoardExchange::show(std::span<const std::byte> mine, const BoardCall& call) {
  GroupMemory::Board& own = board(index_);
  if (!mine.empty()) std::memcpy(own.data, mine.data(), mine.size());
  util::tell_outside();
  own.number.store(std::uint64_t{call.print()} << 32 | sequence_, std::memory_order_release);
  for (Rank member = 0; member < memories_.size(); ++member)
    if (member != index_) memories_[member]->control->bell.ring();
}

bool BoardExchange::is_near(const GroupMemory::Board& board) const {
  return util::glance([&] { return is_there(board); });
}

Status BoardExchange::await(const GroupMemory::Board& board, Timeout timeout) {
  return wait_for(
      ports_->progress, [&] { return is_there(board); }, [this] { return trouble(); }, memories_[index_]->control->bell,
      timeout, [this](bootstrap::LongWait& wait) { describe(wait); });
}

// A small allreduce comes this way, too.
void BoardExchange::describe(bootstrap::LongWait& wait) const {
  wait.say("in allgather or allreduce of " + name_of_group(*ports_, ranks_));
  for (Rank member = 0; member < ranks_.size(); ++member)
    if (!is_there(board(member))) wait.wait_for(ranks_[member]);
}

// A member that left in good order after this piece has seen everybody's, so all are there, and the waiting looks once
// more before it believes in trouble.
Status BoardExchange::trouble() const {
  return ports_->peers.check_healthy(ranks_);
}

}  // namespace polder::core
