// A group as its users see it: its state, and the order that its members have chosen.
#include "core/group/group_state.hpp"

#include <polder/group.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace polder {

Group::Group(std::unique_ptr<core::GroupState> state) : state_(std::move(state)) {}
Group::~Group() = default;

// The state keeps members by rank, whatever their order; `order_` leads from a place to a member of the state.
void Group::reorder(std::vector<Rank> ranks) {
  if (std::is_sorted(ranks.begin(), ranks.end())) return;
  ordered_ = std::move(ranks);
  const auto members = state_->ranks();
  order_.resize(ordered_.size());
  places_.resize(ordered_.size());
  for (Rank place = 0; place < ordered_.size(); ++place) {
    const auto at = std::lower_bound(members.begin(), members.end(), ordered_[place]);
    order_[place] = Rank(at - members.begin());
    places_[order_[place]] = place;
  }
}

std::span<const Rank> Group::ranks() const {
  return ordered_.empty() ? state_->ranks() : std::span<const Rank>(ordered_);
}

std::optional<Rank> Group::relative(Rank rank) const {
  const auto members = state_->ranks();
  const auto at = std::lower_bound(members.begin(), members.end(), rank);
  if (at == members.end() || *at != rank) return std::nullopt;
  const auto member = std::size_t(at - members.begin());
  return places_.empty() ? Rank(member) : places_[member];
}

Rank Group::index() const {
  return places_.empty() ? state_->index() : places_[state_->index()];
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

Status Group::allgather(std::span<const std::byte> mine, std::span<std::byte> all, Timeout timeout) {
  if (order_.empty() || all.size() != mine.size() * size()) return state_->allgather(mine, all, timeout);
  gathered_.resize(all.size());
  if (Status status = state_->allgather(mine, gathered_, timeout); !status.ok()) return status;
  for (std::size_t place = 0; place < order_.size() && !mine.empty(); ++place)
    std::memcpy(all.data() + place * mine.size(), gathered_.data() + order_[place] * mine.size(), mine.size());
  return {};
}

}  // namespace polder
