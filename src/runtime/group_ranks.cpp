// Groups made of groups, and ranks told in the numbers of either.
#include "core/engine/engine.hpp"
#include "core/group/group_state.hpp"

#include <polder/group.hpp>
#include <polder/runtime.hpp>

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

}  // namespace polder
