#include "api/armci/collective/board.hpp"

#include "api/armci/job/armci_rank.hpp"

#include <algorithm>
#include <cstring>

namespace polder::armci {

Result<std::unique_ptr<Board>> Board::make(ArmciRank& self, Group& group) {
  auto memory = self.runtime().create_allocation(group, {.size = 2 * kHalf});
  if (!memory.ok()) return std::move(memory).status();
  Status status = self.wait([&](Timeout slice) { return (*memory)->commit(slice); });
  if (!status.ok()) return status;
  return std::unique_ptr<Board>(new Board(*std::move(memory)));
}

Status Board::broadcast(ArmciRank& self, Group& group, Rank root, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), kHalf);
    if (Status status = show(self, group, root, bytes.first(part)); !status.ok()) return status;
    bytes = bytes.subspan(part);
  }
  return {};
}

Status Board::show(ArmciRank& self, Group& group, Rank root, std::span<std::byte> chunk) {
  const std::size_t place = half_ * kHalf;
  half_ = 1 - half_;
  if (self.rank() == root) std::memcpy(memory_->segment().data + place, chunk.data(), chunk.size());
  if (Status status = self.barrier(group); !status.ok() || self.rank() == root) return status;
  const GlobalAddress shown = memory_->at(root, place);
  return self.runtime().get(chunk.data(), shown, chunk.size(), Post(Until::local));
}

}  // namespace polder::armci
