#include "api/armci/allocations.hpp"

#include "api/armci/context.hpp"

#include <algorithm>
#include <span>
#include <string>

namespace polder::armci {

// Where it is mapped here, else where its owner has it.
Result<void*> Allocations::address_of(Context& context, const Allocation& allocation, Rank rank,
                                      const Contribution& part) {
  auto direct = context.runtime().direct_pointer(allocation.at(rank));
  if (!direct.ok()) return std::move(direct).status();
  void* const mapped = *direct;
  return mapped != nullptr ? mapped : reinterpret_cast<void*>(std::uintptr_t(part.address));
}

Status Allocations::fill(Context& context, Entry& entry) {
  const auto parts = entry.allocation->contributions();
  entry.table.assign(entry.team->size(), nullptr);
  for (std::size_t member = 0; member < entry.table.size(); ++member) {
    const Contribution& part = parts[entry.team->place(member)];
    if (part.size == 0) continue;
    const auto rank = Rank(entry.team->absolute(int(member)));
    auto address = address_of(context, *entry.allocation, rank, part);
    if (!address.ok()) return std::move(address).status();
    entry.table[member] = *address;
    Status status = context.addresses.add(rank, *address, part.size, entry.allocation->at(rank));
    if (!status.ok()) return status;
  }
  return {};
}

Status Allocations::allocate(Context& context, const std::shared_ptr<Team>& team, std::size_t bytes, void** table) {
  auto made = context.runtime().create_allocation(team->group(), {.size = bytes, .gather = true});
  if (!made.ok()) return std::move(made).status();
  Status status = context.wait([&](Timeout slice) { return (*made)->commit(slice); });
  if (!status.ok()) return status;
  Entry entry{team->next_allocation(), team, *std::move(made), {}};
  if (status = fill(context, entry); !status.ok()) return status;
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
Result<Allocations::Entry*> Allocations::agreed(Context& context, void* mine, Team& team) {
  const auto found = by_pointer_.find(mine);
  const std::uint64_t number = found == by_pointer_.end() ? 0 : found->second->number;
  std::vector<std::uint64_t> all(team.size());
  Status status = context.wait([&](Timeout slice) {
    return team.group().allgather(std::as_bytes(std::span(&number, 1)), std::as_writable_bytes(std::span(all)), slice);
  });
  if (!status.ok()) return status;
  const std::uint64_t wanted = *std::max_element(all.begin(), all.end());
  for (const std::uint64_t other : all)
    if (other != 0 && other != wanted)
      return Status(Code::invalid_argument, "members name allocations " + std::to_string(other) + " and " +
                                                std::to_string(wanted) + " of their group: all must free the same one");
  const auto entry = entries_.find({&team, wanted});
  return entry == entries_.end() ? nullptr : &entry->second;
}

void Allocations::forget(Context& context, Entry& entry) {
  for (std::size_t member = 0; member < entry.table.size(); ++member) {
    if (entry.table[member] != nullptr)
      context.addresses.remove(Rank(entry.team->absolute(int(member))), entry.table[member]);
  }
  by_pointer_.erase(entry.table[std::size_t(entry.team->rank())]);
}

Status Allocations::release(Context& context, void* mine, Team& team) {
  auto entry = agreed(context, mine, team);
  if (!entry.ok()) return std::move(entry).status();
  if (*entry == nullptr) return {};
  forget(context, **entry);
  Status status = context.wait([&](Timeout slice) { return (*entry)->allocation->free(slice); });
  entries_.erase({&team, (*entry)->number});
  return status;
}

}  // namespace polder::armci
