#include "api/armci/memory/allocations.hpp"

#include "api/armci/job/gather.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

namespace polder::armci {

// Where it is mapped here, else where its owner has it.
Result<void*> Allocations::address_of(ArmciRank& self, const Allocation& allocation, Rank rank,
                                      const Contribution& part) {
  auto direct = self.runtime().direct_pointer(allocation.at(rank));
  if (!direct.ok()) return std::move(direct).status();
  void* const mapped = *direct;
  return mapped != nullptr ? mapped : reinterpret_cast<void*>(std::uintptr_t(part.address));
}

Status Allocations::fill(ArmciRank& self, Entry& entry) {
  const auto parts = entry.allocation->contributions();
  entry.table.assign(entry.team->size(), nullptr);
  for (std::size_t member = 0; member < entry.table.size(); ++member) {
    const Contribution& part = parts[entry.team->place(member)];
    if (part.size == 0) continue;
    const auto rank = Rank(entry.team->absolute(int(member)));
    auto address = address_of(self, *entry.allocation, rank, part);
    if (!address.ok()) return std::move(address).status();
    entry.table[member] = *address;
    Status status = self.addresses.add(rank, *address, part.size, entry.allocation->at(rank));
    if (!status.ok()) return status;
  }
  return {};
}

// Null: there is none of these sizes. What was freed is cleared, as fresh memory is, before anybody can use it.
Result<std::unique_ptr<Allocation>> Allocations::spare(ArmciRank& self, Team& team, std::size_t bytes) {
  if (team.spares.empty()) return std::unique_ptr<Allocation>();
  auto sizes = gather_by_place(self, team, std::uint64_t(bytes));
  if (!sizes.ok()) return std::move(sizes).status();
  std::unique_ptr<Allocation> found = team.spares.take(*sizes);
  if (found == nullptr) return found;
  if (bytes != 0) std::memset(found->segment().data, 0, bytes);
  if (Status status = self.barrier(team.group()); !status.ok()) return status;
  return found;
}

Result<std::unique_ptr<Allocation>> Allocations::fresh(ArmciRank& self, Team& team, std::size_t bytes) {
  auto made = self.runtime().create_allocation(team.group(), {.size = bytes, .gather = true});
  if (!made.ok()) return made;
  if (Status status = self.wait([&](Timeout slice) { return (*made)->commit(slice); }); !status.ok()) return status;
  return made;
}

Result<std::unique_ptr<Allocation>> Allocations::obtain(ArmciRank& self, Team& team, std::size_t bytes) {
  auto found = spare(self, team, bytes);
  if (!found.ok() || *found != nullptr) return found;
  auto made = fresh(self, team, bytes);
  if (made.ok() || made.status().code() != Code::out_of_memory || team.spares.empty()) return made;
  team.spares.clear();
  return fresh(self, team, bytes);
}

Status Allocations::allocate(ArmciRank& self, const std::shared_ptr<Team>& team, std::size_t bytes, void** table) {
  auto obtained = obtain(self, *team, bytes);
  if (!obtained.ok()) return std::move(obtained).status();
  Entry entry{team->next_allocation(), team, *std::move(obtained), {}};
  if (Status status = fill(self, entry); !status.ok()) return status;
  std::copy(entry.table.begin(), entry.table.end(), table);
  void* const mine = entry.table[std::size_t(team->rank())];
  Entry& kept = entries_[{team.get(), entry.number}] = std::move(entry);
  if (mine != nullptr) by_pointer_[mine] = &kept;
  return {};
}

Team* Allocations::team_of(const void* mine) const {
  const auto found = by_pointer_.find(mine);
  return found == by_pointer_.end() ? nullptr : found->second->team.get();
}

// Members that have no memory of it cannot tell which allocation is meant; the others can.
Result<Allocations::Agreement> Allocations::agreed(ArmciRank& self, void* mine, Team& team) {
  struct Wish {
    std::uint64_t number = 0;
    std::uint64_t spare_bytes = 0;
  };
  const auto found = by_pointer_.find(mine);
  const std::uint64_t number = found == by_pointer_.end() ? 0 : found->second->number;
  auto all = gather_by_place(self, team, Wish{number, self.options().spare_bytes});
  if (!all.ok()) return std::move(all).status();
  const std::uint64_t wanted = std::ranges::max(*all, {}, &Wish::number).number;
  for (const Wish& other : *all)
    if (other.number != 0 && other.number != wanted)
      return Status(Code::invalid_argument, "members name allocations " + std::to_string(other.number) + " and " +
                                                std::to_string(wanted) + " of their group: all must free the same one");
  const auto entry = entries_.find({&team, wanted});
  return Agreement{entry == entries_.end() ? nullptr : &entry->second,
                   std::ranges::min(*all, {}, &Wish::spare_bytes).spare_bytes};
}

void Allocations::forget(ArmciRank& self, Entry& entry) {
  for (std::size_t member = 0; member < entry.table.size(); ++member) {
    if (entry.table[member] != nullptr)
      self.addresses.remove(Rank(entry.team->absolute(int(member))), entry.table[member]);
  }
  by_pointer_.erase(entry.table[std::size_t(entry.team->rank())]);
}

// Behind the barrier nobody uses it any more.
Status Allocations::retire(ArmciRank& self, Entry& entry, std::uint64_t spare_bytes) {
  const SegmentId id = entry.allocation->id();
  Status status = self.wait([&](Timeout slice) { return self.runtime().fence_segment(id, slice); });
  if (status.ok()) status = self.barrier(entry.team->group());
  if (status.ok()) entry.team->spares.keep(std::move(entry.allocation), spare_bytes);
  return status;
}

Status Allocations::release(ArmciRank& self, void* mine, Team& team) {
  auto agreement = agreed(self, mine, team);
  if (!agreement.ok()) return std::move(agreement).status();
  if (agreement->entry == nullptr) return {};
  Entry& entry = *agreement->entry;
  forget(self, entry);
  Status status = retire(self, entry, agreement->spare_bytes);
  entries_.erase({&team, entry.number});
  return status;
}

}  // namespace polder::armci
