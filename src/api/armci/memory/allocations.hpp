// What ARMCI_Malloc gave out.
#pragma once

#include "api/armci/job/team.hpp"

#include <polder/allocation.hpp>
#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace polder::armci {

class ArmciRank;

// One thread at a time, that of MPI.
class Allocations {
 public:
  // Collective over the team. `table` has an entry for each member. out_of_memory or limit: at some member; nobody has
  // anything.
  Status allocate(ArmciRank& self, const std::shared_ptr<Team>& team, std::size_t bytes, void** table);

  // Collective over the team that allocated it. `mine`: this rank's entry of the table, which may be null; then `team`
  // says whose members are meant. Does nothing if all members say null.
  Status release(ArmciRank& self, void* mine, Team& team);

  // The team whose allocation has this entry at this rank, or null.
  Team* team_of(const void* mine) const;

 private:
  struct Entry {
    std::uint64_t number = 0;  // among those of its team
    std::shared_ptr<Team> team;
    std::unique_ptr<Allocation> allocation;
    std::vector<void*> table;
  };

  static Result<void*> address_of(ArmciRank& self, const Allocation& allocation, Rank rank, const Contribution& part);
  static Result<std::unique_ptr<Allocation>> spare(ArmciRank& self, Team& team, std::size_t bytes);
  static Result<std::unique_ptr<Allocation>> fresh(ArmciRank& self, Team& team, std::size_t bytes);
  static Result<std::unique_ptr<Allocation>> obtain(ArmciRank& self, Team& team, std::size_t bytes);
  static Status fill(ArmciRank& self, Entry& entry);
  // What all members mean to free, or null; and how much memory of it each is willing to keep.
  struct Agreement {
    Entry* entry = nullptr;
    std::uint64_t spare_bytes = 0;
  };
  Result<Agreement> agreed(ArmciRank& self, void* mine, Team& team);
  void forget(ArmciRank& self, Entry& entry);
  static Status retire(ArmciRank& self, Entry& entry, std::uint64_t spare_bytes);

  std::map<std::pair<const Team*, std::uint64_t>, Entry> entries_;
  std::map<const void*, Entry*> by_pointer_;
};

}  // namespace polder::armci
