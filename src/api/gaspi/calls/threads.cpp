// The deprecated helpers of GASPI_Threads.h.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/machine/thread_team.hpp"

#include <sched.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

using namespace polder::gaspi;

namespace {

constexpr unsigned kMaxThreads = 65536;

// The team between init and term.
class Place {
 public:
  std::shared_ptr<ThreadTeam> get() {
    const std::lock_guard lock(mutex_);
    return team_;
  }
  // Puts `next` in the place of `expected`, if that is what is there.
  bool replace(const std::shared_ptr<ThreadTeam>& expected, std::shared_ptr<ThreadTeam> next) {
    const std::lock_guard lock(mutex_);
    if (team_ != expected) return false;
    team_ = std::move(next);
    return true;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<ThreadTeam> team_;
};

// Never destroyed: threads may use it until the very end.
Place& current_team() {
  static auto* const place = new Place;
  return *place;
}

gaspi_return_t refuse_without_team(const char* operation) {
  return refuse(GASPI_ERR_NOINIT, operation, "gaspi_threads_init must come first");
}

unsigned usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return unsigned(CPU_COUNT(&cores));
  return std::max(1u, std::thread::hardware_concurrency());  // more cores than a cpu_set_t counts
}

gaspi_return_t make_team(const char* operation, unsigned total) {
  return guarded(operation, [&] {
    if (current_team().replace(nullptr, std::make_shared<ThreadTeam>(total))) return GASPI_SUCCESS;
    return refuse(GASPI_ERR_INITED, operation, "gaspi_threads_term must come first");
  });
}

// Calls `body` with the team, where there is one.
template <class Body>
gaspi_return_t with_team(const char* operation, Body&& body) {
  return guarded(operation, [&] {
    const std::shared_ptr<ThreadTeam> team = current_team().get();
    return team != nullptr ? body(*team) : refuse_without_team(operation);
  });
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_threads_init(gaspi_int* num) {
  if (num == nullptr) return refuse_null("gaspi_threads_init", "num");
  const unsigned cores = usable_cores();
  const gaspi_return_t code = make_team("gaspi_threads_init", cores);
  if (code == GASPI_SUCCESS) *num = gaspi_int(cores);
  return code;
}
POLDER_WEAK_ALIAS(threads_init);

gaspi_return_t pgaspi_threads_init_user(unsigned int num) {
  if (num == 0 || num > kMaxThreads)
    return refuse(GASPI_ERR_INV_NUM, "gaspi_threads_init_user", "a team has 1 to 65536 threads", num);
  return make_team("gaspi_threads_init_user", num);
}
POLDER_WEAK_ALIAS(threads_init_user);

gaspi_return_t pgaspi_threads_run(void* (*function)(void*), void* argument) {
  const TracedGaspiCall traced(GaspiCall::threads_run, {});
  if (function == nullptr) return refuse_null("gaspi_threads_run", "function");
  return with_team("gaspi_threads_run", [&](ThreadTeam& team) {
    switch (team.start(function, argument)) {
      case ThreadTeam::Start::started: return GASPI_SUCCESS;
      case ThreadTeam::Start::refused: return refuse(GASPI_ERR_ENV, "gaspi_threads_run", "Linux refuses a new thread");
      case ThreadTeam::Start::no_place: break;
    }
    return refuse(GASPI_ERR_INV_NUM, "gaspi_threads_run", "as many threads as gaspi_threads_init allowed run already");
  });
}
POLDER_WEAK_ALIAS(threads_run);

gaspi_return_t pgaspi_threads_register(gaspi_int* tid) {
  if (tid == nullptr) return refuse_null("gaspi_threads_register", "tid");
  return with_team("gaspi_threads_register", [&](ThreadTeam& team) {
    const auto number = team.enlist();
    if (!number) return refuse(GASPI_ERR_INV_NUM, "gaspi_threads_register", "all numbers are taken");
    *tid = gaspi_int(*number);
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(threads_register);

gaspi_return_t pgaspi_threads_get_tid(gaspi_int* tid) {
  if (tid == nullptr) return refuse_null("gaspi_threads_get_tid", "tid");
  return with_team("gaspi_threads_get_tid", [&](const ThreadTeam& team) {
    const auto number = team.own_number();
    if (!number) return refuse(GASPI_ERR_NOINIT, "gaspi_threads_get_tid", "this thread has not registered");
    *tid = gaspi_int(*number);
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(threads_get_tid);

gaspi_return_t pgaspi_threads_get_total(gaspi_int* num) {
  if (num == nullptr) return refuse_null("gaspi_threads_get_total", "num");
  return with_team("gaspi_threads_get_total", [&](const ThreadTeam& team) {
    *num = gaspi_int(team.total());
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(threads_get_total);

gaspi_return_t pgaspi_threads_get_num_cores(gaspi_int* cores) {
  if (cores == nullptr) return refuse_null("gaspi_threads_get_num_cores", "cores");
  *cores = gaspi_int(usable_cores());
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(threads_get_num_cores);

gaspi_return_t pgaspi_threads_sync(void) {
  const TracedGaspiCall traced(GaspiCall::threads_sync, {});
  return with_team("gaspi_threads_sync",
                   [](ThreadTeam& team) { return team.meet(Deadline(GASPI_BLOCK), [] { return GASPI_SUCCESS; }); });
}
POLDER_WEAK_ALIAS(threads_sync);

gaspi_return_t pgaspi_threads_sync_all(gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::threads_sync_all, {});
  return with_team("gaspi_threads_sync_all", [&](ThreadTeam& team) {
    const Deadline deadline(timeout_ms);
    return team.meet(deadline, [&] { return pgaspi_barrier(group, deadline.milliseconds()); });
  });
}
POLDER_WEAK_ALIAS(threads_sync_all);

gaspi_return_t pgaspi_threads_term(void) {
  const TracedGaspiCall traced(GaspiCall::threads_term, {});
  return guarded("gaspi_threads_term", [] {
    const std::shared_ptr<ThreadTeam> team = current_team().get();
    if (team == nullptr) return refuse_without_team("gaspi_threads_term");
    if (team->made_this_thread())
      return refuse(GASPI_ERROR, "gaspi_threads_term", "a thread of the team would wait for itself");
    team->join();
    (void)current_team().replace(team, nullptr);
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(threads_term);

}  // extern "C"
