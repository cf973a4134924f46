#include "api/gaspi/machine/thread_team.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace polder::gaspi {
namespace {

constexpr auto kTeamNap = std::chrono::hours(1);  // somebody wakes the sleepers

}  // namespace

// What a thread is in which team. A team that has ended is no longer anybody's.
struct ThreadTeam::Membership {
  std::weak_ptr<ThreadTeam> team;
  bool made = false;
  std::optional<unsigned> number;
};

// A meeting for which a thread has come, and whose outcome it had no time to wait for.
struct ThreadTeam::Unheard {
  std::weak_ptr<ThreadTeam> team;
  unsigned long meeting = 0;
};

thread_local ThreadTeam::Membership ThreadTeam::membership_;
thread_local ThreadTeam::Unheard ThreadTeam::unheard_;

ThreadTeam::Start ThreadTeam::start(void* (*function)(void*), void* argument) {
  const std::lock_guard lock(mutex_);
  if (running_ == total_) return Start::no_place;
  try {
    threads_.emplace_back([this, function, argument] { run(function, argument); });
  } catch (const std::system_error&) {
    return Start::refused;
  }
  ++running_;
  return Start::started;
}

// By RAII, because the function may leave by pthread_exit().
void ThreadTeam::run(void* (*function)(void*), void* argument) {
  struct Service {
    explicit Service(ThreadTeam& its_team) : team(its_team) { membership_ = {its_team.weak_from_this(), true, {}}; }
    ~Service() { team.end(membership_); }
    ThreadTeam& team;
  } const service(*this);
  (void)function(argument);
}

void ThreadTeam::end(const Membership& membership) {
  const std::lock_guard lock(mutex_);
  --running_;
  if (membership.number) taken_[*membership.number] = false;
}

bool ThreadTeam::made_this_thread() const {
  return membership_.made && membership_.team.lock().get() == this;
}

std::optional<unsigned> ThreadTeam::own_number() const {
  if (membership_.team.lock().get() != this) return std::nullopt;
  return membership_.number;
}

std::optional<unsigned> ThreadTeam::enlist() {
  if (const auto number = own_number()) return number;
  const std::lock_guard lock(mutex_);
  const auto place = std::ranges::find(taken_, false);
  if (place == taken_.end()) return std::nullopt;
  *place = true;
  membership_ = {weak_from_this(), made_this_thread(), unsigned(place - taken_.begin())};
  return membership_.number;
}

gaspi_return_t ThreadTeam::meet(const Deadline& deadline, const std::function<gaspi_return_t()>& meeting) {
  std::unique_lock lock(mutex_);
  if (unheard_.team.lock().get() == this) {
    const unsigned long meeting_before = std::exchange(unheard_, {}).meeting;
    return wait_for_meeting(lock, deadline, meeting_before) ? outcome_ : GASPI_TIMEOUT;
  }
  while (arrived_ == total_) {  // more threads than places: the next meeting is theirs
    if (deadline.over()) return GASPI_TIMEOUT;
    met_.wait_until(lock, deadline.nap(kTeamNap));
  }
  const unsigned long this_meeting = meetings_;
  if (++arrived_ < total_) return wait_for_meeting(lock, deadline, this_meeting) ? outcome_ : GASPI_TIMEOUT;
  lock.unlock();
  const gaspi_return_t outcome = meeting();
  lock.lock();
  outcome_ = outcome;
  arrived_ = 0;
  ++meetings_;
  met_.notify_all();
  return outcome;
}

bool ThreadTeam::wait_for_meeting(std::unique_lock<std::mutex>& lock, const Deadline& deadline, unsigned long meeting) {
  while (meetings_ == meeting) {
    if (deadline.over()) {
      // Once all are there nobody can step back: the outcome is everybody's.
      if (arrived_ == total_)
        unheard_ = {weak_from_this(), meeting};
      else
        --arrived_;
      return false;
    }
    met_.wait_until(lock, deadline.nap(kTeamNap));
  }
  return true;
}

void ThreadTeam::join() {
  std::unique_lock lock(mutex_);
  while (!threads_.empty()) {
    std::vector<std::thread> ended = std::exchange(threads_, {});
    lock.unlock();
    for (std::thread& thread : ended) thread.join();
    lock.lock();
  }
}

}  // namespace polder::gaspi
