#include "api/armci/collective/board.hpp"

#include "api/armci/job/context.hpp"

#include <algorithm>
#include <cstring>

namespace polder::armci {

Result<std::unique_ptr<Board>> Board::make(Context& context, const Team& team) {
  auto memory = context.runtime().create_allocation(team.group(), {.size = 2 * kHalf});
  if (!memory.ok()) return std::move(memory).status();
  Status status = context.wait([&](Timeout slice) { return (*memory)->commit(slice); });
  if (!status.ok()) return status;
  return std::unique_ptr<Board>(new Board(*std::move(memory)));
}

Status Board::broadcast(Context& context, const Team& team, int root, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), kHalf);
    if (Status status = show(context, team, root, bytes.first(part)); !status.ok()) return status;
    bytes = bytes.subspan(part);
  }
  return {};
}

Status Board::show(Context& context, const Team& team, int root, std::span<std::byte> chunk) {
  const std::size_t place = half_ * kHalf;
  half_ = 1 - half_;
  if (team.rank() == root) std::memcpy(memory_->segment().data + place, chunk.data(), chunk.size());
  if (Status status = context.barrier(team); !status.ok() || team.rank() == root) return status;
  const GlobalAddress shown = memory_->at(Rank(team.absolute(root)), place);
  return context.runtime().get(chunk.data(), shown, chunk.size(), Post(Until::local));
}

}  // namespace polder::armci
