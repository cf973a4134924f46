// What each member of a team says, for decisions that all take alike.
#pragma once

#include "api/armci/job/armci_rank.hpp"
#include "api/armci/job/team.hpp"

#include <span>
#include <type_traits>
#include <vector>

namespace polder::armci {

// Collective; by place in the group. T is small: a member shows it in one piece.
template <class T>
Result<std::vector<T>> gather_by_place(ArmciRank& self, const Team& team, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= Group::kMaxGather);
  std::vector<T> all(team.size());
  Status status = self.wait([&](Timeout slice) {
    return team.group().allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)), slice);
  });
  if (!status.ok()) return status;
  return all;
}

// The same by member.
template <class T>
Result<std::vector<T>> gather(ArmciRank& self, const Team& team, const T& mine) {
  const auto by_place = gather_by_place(self, team, mine);
  if (!by_place.ok()) return by_place.status();
  std::vector<T> all(team.size());
  for (std::size_t member = 0; member < all.size(); ++member) all[member] = (*by_place)[team.place(member)];
  return all;
}

}  // namespace polder::armci
