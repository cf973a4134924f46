#include "api/dart/job/team.hpp"

#include "api/dart/collective/team_lock.hpp"

#include <algorithm>

namespace polder::dart {

DartTeam::~DartTeam() {
  for (const auto& lock : locks_) lock->end();
}

void DartTeam::keep(std::shared_ptr<TeamLock> lock) {
  const std::lock_guard guard(mutex_);
  locks_.push_back(std::move(lock));
}

void DartTeam::forget(const TeamLock& lock) {
  const std::lock_guard guard(mutex_);
  std::erase_if(locks_, [&](const auto& kept) { return kept.get() == &lock; });
}

}  // namespace polder::dart
