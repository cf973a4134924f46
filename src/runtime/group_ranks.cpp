// Groups made of groups, and ranks told in the numbers of either.
#include "core/engine/engine.hpp"
#include "core/group/group_state.hpp"

#include <polder/group.hpp>
#include <polder/runtime.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace polder {

Result<std::unique_ptr<Group>> Runtime::create_group(const Group& parent, std::span<const Rank> indices) {
  std::vector<Rank> members;
  members.reserve(indices.size());
  for (const Rank index : indices) {
    if (index >= parent.size())
      return Status(Code::invalid_rank, "create_group: the parent has " + std::to_string(parent.size()) +
                                            " members, so none has the index " + std::to_string(index));
    members.push_back(parent.absolute(index));
  }
  auto group = core::GroupState::make(engine_->groups(), std::move(members));
  if (group.ok()) (*group)->parent_ = &parent;
  return group;
}

Result<std::unique_ptr<Group>> Runtime::create_node_group() {
  return core::GroupState::make(engine_->groups(), node_ranks());
}

namespace {

// What a rank brings to a split.
struct Choice {
  std::int64_t colour;
  std::int64_t key;
};

struct Place {
  std::int64_t key;
  Rank index;  // in the parent, which decides between equal keys
  Rank rank;
  // clang-tidy 14 takes the zero that it is compared with for a pointer. NOLINTNEXTLINE(modernize-use-nullptr)
  auto operator<=>(const Place&) const = default;
};

std::vector<Rank> ranks_of_colour(std::int64_t colour, std::span<const std::byte> choices, const Group& parent) {
  std::vector<Place> places;
  for (Rank index = 0; index < parent.size(); ++index) {
    Choice choice;
    std::memcpy(&choice, choices.data() + index * sizeof choice, sizeof choice);
    if (choice.colour == colour) places.push_back({choice.key, index, parent.absolute(index)});
  }
  std::sort(places.begin(), places.end());
  std::vector<Rank> ranks;
  for (const Place& place : places) ranks.push_back(place.rank);
  return ranks;
}

}  // namespace

Result<std::unique_ptr<Group>> Runtime::split(Group& parent, std::int64_t colour, std::int64_t key, Timeout timeout) {
  const Choice mine{colour, key};
  const auto choices = parent.allgather(std::as_bytes(std::span(&mine, 1)), timeout);
  if (!choices.ok()) return choices.status();
  if (colour == kNoColour) return std::unique_ptr<Group>();
  auto group = core::GroupState::make_in_order(engine_->groups(), ranks_of_colour(colour, *choices, parent));
  if (group.ok()) (*group)->parent_ = &parent;
  return group;
}

}  // namespace polder
