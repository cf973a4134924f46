#include "api/dart/collective/team_lock.hpp"

namespace polder::dart {
namespace {

Status of_no_team() {
  return {Code::invalid_argument, "the team of the lock has gone"};
}

}  // namespace

// The holder has inside_, which only the same thread gives back.
Status TeamLock::take(Timeout timeout) {
  Status status = mutexes_->lock({home_, 0}, timeout);
  if (status.ok() || status.code() == Code::owner_died) {
    holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    return {};
  }
  inside_.unlock();
  return status;
}

Status TeamLock::acquire() {
  if (mine()) return {Code::invalid_argument, "this thread holds the lock already, and would wait for itself"};
  if (!alive()) return of_no_team();
  inside_.lock();
  return take(Timeout::block());
}

Status TeamLock::try_acquire() {
  if (!alive()) return of_no_team();
  if (mine() || !inside_.try_lock()) return Code::timeout;
  return take(Timeout::test());
}

Status TeamLock::release() {
  if (!mine()) return {Code::invalid_argument, "this thread does not hold the lock"};
  if (!alive()) return of_no_team();
  holder_.store(std::thread::id(), std::memory_order_relaxed);
  Status status = mutexes_->unlock({home_, 0});
  inside_.unlock();
  return status;
}

Status TeamLock::destroy() {
  if (!alive()) return {};
  Status status = mutexes_->destroy(Timeout::block());
  mutexes_.reset();
  return status;
}

}  // namespace polder::dart
