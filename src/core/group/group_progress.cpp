// How far a rank has come in a group, for others, and what modules above core keep with it.
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/health/departures.hpp"

#include <utility>

namespace polder::core {

GroupProgress GroupState::progress() const {
  GroupProgress reached{tag_, {barrier_.completed(), gather_barrier_.completed()}};
  std::lock_guard lock(extending_);
  const auto& collectives = extensions_[GroupExtension::collectives];
  reached.completed[GroupProgress::begun] = collectives == nullptr ? begun_in_the_end_ : collectives->begun();
  reached.completed[GroupProgress::ended] = collectives == nullptr ? ended_in_the_end_ : collectives->ended();
  return reached;
}

bool GroupState::needed() const {
  std::lock_guard lock(extending_);
  const auto& collectives = extensions_[GroupExtension::collectives];
  return collectives != nullptr && collectives->needed();
}

// Another thread of this rank may be leaving, and asks how far they have come.
void GroupState::end_extensions() {
  const GroupProgress reached = progress();
  std::unique_ptr<GroupExtension> ending[GroupExtension::kKinds];
  std::lock_guard lock(extending_);
  begun_in_the_end_ = reached.completed[GroupProgress::begun];
  ended_in_the_end_ = reached.completed[GroupProgress::ended];
  for (auto& made : made_) made.store(nullptr, std::memory_order_relaxed);
  std::swap(ending, extensions_);
}

Departures::Word GroupState::word(Rank rank, std::uint64_t collective) const {
  return ports_.departures.word(rank, tag_, collective);
}

}  // namespace polder::core
