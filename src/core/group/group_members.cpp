// Which ranks a group is made of, in which order, and who is the how-manieth.
#include "core/group/group_state.hpp"
#include "core/group/group_table.hpp"
#include "core/progress/outside.hpp"

#include <algorithm>
#include <string>

namespace polder::core {
namespace {

Status check_members(std::vector<Rank> ranks, const Outside& outside) {
  std::sort(ranks.begin(), ranks.end());
  if (ranks.empty()) return {Code::invalid_group, "a group needs members"};
  if (ranks.back() >= outside.size())
    return {Code::invalid_rank,
            "rank " + std::to_string(ranks.back()) + " does not exist in a job of " + std::to_string(outside.size())};
  if (const auto twice = std::adjacent_find(ranks.begin(), ranks.end()); twice != ranks.end())
    return {Code::invalid_rank, "rank " + std::to_string(*twice) + " is named twice for a group"};
  if (std::binary_search(ranks.begin(), ranks.end(), outside.rank())) return {};
  return {Code::invalid_group, "rank " + std::to_string(outside.rank()) + " is not a member of the group it creates"};
}

}  // namespace

Result<std::unique_ptr<Group>> GroupState::make(GroupTable& table, std::vector<Rank> ranks, std::uint64_t label) {
  std::sort(ranks.begin(), ranks.end());
  return make_in_order(table, std::move(ranks), label);
}

Result<std::unique_ptr<Group>> GroupState::make_in_order(GroupTable& table, std::vector<Rank> ranks,
                                                         std::uint64_t label) {
  const Outside& outside = table.ports().outside;
  if (Status status = check_members(ranks, outside); !status.ok()) return status;
  const auto index = Rank(std::find(ranks.begin(), ranks.end(), outside.rank()) - ranks.begin());
  auto state = table.add([&](std::uint32_t slot, std::span<GroupState* const> others) {
    return std::make_unique<GroupState>(table, std::move(ranks), index, slot, others, label);
  });
  if (!state.ok()) return std::move(state).status();
  return std::unique_ptr<Group>(new Group(*std::move(state)));
}

std::optional<Rank> GroupState::member(Rank rank) const {
  const auto at =
      ascending_ ? std::lower_bound(ranks_.begin(), ranks_.end(), rank) : std::find(ranks_.begin(), ranks_.end(), rank);
  if (at == ranks_.end() || *at != rank) return std::nullopt;
  return Rank(at - ranks_.begin());
}

}  // namespace polder::core
