// The public calls of a group that need no collectives from above, which forward to its state.
#include <polder/group.hpp>

#include "core/group/group_state.hpp"
#include "util/forked.hpp"

#include <algorithm>

namespace polder {

Group::Group(std::unique_ptr<core::GroupState> state) : state_(std::move(state)) {}

// What members see of each other lies in memory that a forked child shares with its parent.
Group::~Group() {
  if (state_->in_forked_child()) util::leave_undestroyed(state_.release());
}

std::span<const Rank> Group::ranks() const {
  return state_->ranks();
}
std::optional<Rank> Group::relative(Rank rank) const {
  return state_->member(rank);
}
Rank Group::index() const {
  return state_->index();
}
Status Group::commit(Timeout timeout) {
  Status status = state_->commit(timeout);
  if (status.ok()) state_->define_in_trace();
  return status;
}
bool Group::committed() const {
  return state_->committed();
}
Status Group::barrier(Timeout timeout) {
  return state_->barrier(timeout);
}

}  // namespace polder
