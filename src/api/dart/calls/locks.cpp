// Locks of a team. One may outlive its team, and the epoch.
#include "api/dart/collective/team_lock.hpp"
#include "api/dart/job/epoch.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/job/traced.hpp"
#include "api/dart/symbols.hpp"

#include <memory>
#include <utility>

using namespace polder;
using namespace polder::dart;

struct dart_lock_struct {
  std::shared_ptr<TeamLock> lock;
  dart_team_t team;
};

namespace {

template <class Body>
dart_ret_t with_lock(const char* call, dart_lock_t lock, Body body) {
  return guarded(call, [&] {
    if (lock == nullptr) return refused(call, null_argument("lock"));
    if (current_epoch() == nullptr) return refused_outside(call);
    return outcome(call, body(*lock->lock));
  });
}

}  // namespace

extern "C" {

dart_ret_t dart_team_lock_init(dart_team_t teamid, dart_lock_t* lock) {
  const TracedDartCall traced(DartCall::team_lock_init);
  return guarded("dart_team_lock_init", [&] {
    if (lock == nullptr) return refused("dart_team_lock_init", null_argument("lock"));
    *lock = DART_LOCK_NULL;
    DartEpoch* const epoch = current_epoch();
    if (epoch == nullptr) return refused_outside("dart_team_lock_init");
    DartTeam* const team = epoch->team(teamid);
    if (team == nullptr) return refused("dart_team_lock_init", no_such_team(teamid));
    auto mutexes = epoch->runtime().create_mutexes(team->group(), team->me() == 0 ? 1 : 0, Timeout::block());
    if (!mutexes.ok()) return refused("dart_team_lock_init", mutexes.status());
    auto made = std::make_shared<TeamLock>(*std::move(mutexes), team->rank(0));
    team->keep(made);
    *lock = std::make_unique<dart_lock_struct>(dart_lock_struct{std::move(made), teamid}).release();
    return DART_OK;
  });
}

dart_ret_t dart_team_lock_destroy(dart_lock_t* lock) {
  const TracedDartCall traced(DartCall::team_lock_destroy);
  return guarded("dart_team_lock_destroy", [&] {
    if (lock == nullptr || *lock == DART_LOCK_NULL) return DART_OK;
    const std::unique_ptr<dart_lock_struct> gone(std::exchange(*lock, DART_LOCK_NULL));
    if (!gone->lock->alive()) return DART_OK;
    // Alive, so its team is, and so is its epoch.
    Status status = gone->lock->destroy();
    current_epoch()->team(gone->team)->forget(*gone->lock);
    return outcome("dart_team_lock_destroy", status);
  });
}

dart_ret_t dart_lock_acquire(dart_lock_t lock) {
  const TracedDartCall traced(DartCall::lock_acquire);
  return with_lock("dart_lock_acquire", lock, [](TeamLock& found) { return found.acquire(); });
}

dart_ret_t dart_lock_try_acquire(dart_lock_t lock, int32_t* result) {
  const TracedDartCall traced(DartCall::lock_try_acquire);
  if (result == nullptr) return refused("dart_lock_try_acquire", null_argument("result"));
  *result = 0;
  return with_lock("dart_lock_try_acquire", lock, [&](TeamLock& found) {
    Status status = found.try_acquire();
    if (status.ok()) *result = 1;
    return status.timed_out() ? Status() : status;
  });
}

dart_ret_t dart_lock_release(dart_lock_t lock) {
  const TracedDartCall traced(DartCall::lock_release);
  return with_lock("dart_lock_release", lock, [](TeamLock& found) { return found.release(); });
}

bool dart_lock_initialized(struct dart_lock_struct const* lock) {
  return lock != nullptr;
}

}  // extern "C"
