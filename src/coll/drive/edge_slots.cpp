#include "coll/drive/edge_slots.hpp"

#include "util/assert.hpp"

namespace polder::coll {

EdgeSlots::EdgeSlots(Slot first, Slot count) {
  for (Slot i = count; i-- > 0;)
    for (Ends& ends : ends_) ends.free.push_back(first + i);
}

std::optional<Slot> EdgeSlots::take(Role role, Rank member) {
  std::lock_guard lock(mutex_);
  Ends& ends = at(role);
  auto end = ends.held.find(member);
  if (end == ends.held.end()) {
    if (ends.free.empty()) return {};
    end = ends.held.emplace(member, End{.own = ends.free.back(), .other = {}}).first;
    ends.free.pop_back();
  }
  if (end->second.promised) return {};
  ++end->second.users;
  return end->second.own;
}

void EdgeSlots::leave(Role role, Rank member) {
  std::lock_guard lock(mutex_);
  Ends& ends = at(role);
  const auto end = ends.held.find(member);
  POLDER_ASSERT(end != ends.held.end() && end->second.users > 0);
  if (--end->second.users != 0 || end->second.other) return;
  ends.free.push_back(end->second.own);
  ends.held.erase(end);
}

void EdgeSlots::settle(Role role, Rank member, Slot other) {
  std::lock_guard lock(mutex_);
  End& end = at(role).held.at(member);
  POLDER_ASSERT(end.users > 0 && (!end.other || *end.other == other));
  end.other = other;
}

std::optional<Slot> EdgeSlots::other(Role role, Rank member) const {
  std::lock_guard lock(mutex_);
  const auto end = at(role).held.find(member);
  return end == at(role).held.end() ? std::nullopt : end->second.other;
}

std::vector<std::pair<Rank, Slot>> EdgeSlots::idle(Role role) const {
  std::lock_guard lock(mutex_);
  std::vector<std::pair<Rank, Slot>> idle;
  for (const auto& [member, end] : at(role).held)
    if (end.users == 0 && !end.promised) idle.emplace_back(member, end.own);
  return idle;
}

bool EdgeSlots::promise_back(Role role, Rank member) {
  std::lock_guard lock(mutex_);
  const auto end = at(role).held.find(member);
  if (end == at(role).held.end() || end->second.users != 0 || end->second.promised) return false;
  return end->second.promised = true;
}

void EdgeSlots::keep(Role role, Rank member) {
  std::lock_guard lock(mutex_);
  at(role).held.at(member).promised = false;
}

Slot EdgeSlots::give_back(Role role, Rank member) {
  std::lock_guard lock(mutex_);
  Ends& ends = at(role);
  const auto end = ends.held.find(member);
  POLDER_ASSERT(end != ends.held.end() && end->second.promised);
  const Slot own = end->second.own;
  ends.held.erase(end);
  ends.free.push_back(own);
  return own;
}

std::size_t EdgeSlots::free(Role role) const {
  std::lock_guard lock(mutex_);
  return at(role).free.size();
}

}  // namespace polder::coll
