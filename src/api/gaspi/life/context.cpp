#include "api/gaspi/life/context.hpp"

#include "api/gaspi/base/error.hpp"
#include "api/gaspi/base/reasons.hpp"
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/life/at_term.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

namespace polder::gaspi {
namespace {

// What a process that ends without gaspi_proc_term waits for its posted operations.
constexpr Timeout kLastPatience = std::chrono::seconds(5);

// For the queues of a context that ends: what cannot be completed because a peer is gone holds nobody up.
Status drain(Context& context, const Deadline& deadline) {
  for (unsigned id = 0; id < kMaxQueues; ++id) {
    CountedQueue* const queue = context.queues.find(gaspi_queue_id_t(id));
    if (queue == nullptr) continue;
    Status status = queue->queue->wait(Completion::remote, deadline.left());
    if (status.timed_out()) return status;
  }
  return {};
}

constexpr auto kCloseNap = std::chrono::milliseconds(1);

bool wait_for_busy_threads(const Deadline& deadline) {
  while (others_busy()) {
    if (deadline.over()) return false;
    std::this_thread::sleep_for(kCloseNap);
  }
  return true;
}

// Again and again, for the sake of a thread that was about to begin. False: a thread takes long, in what it began just
// before the end.
bool end_all(Context& context) {
  const Deadline deadline(kLastPatience);
  while (others_waiting()) {
    if (deadline.over()) return false;
    context.end();
    std::this_thread::sleep_for(kCloseNap);
  }
  return true;
}

}  // namespace

std::atomic<Context*> current_context{nullptr};

Process& process() {
  // Never destroyed: threads may call until the very end.
  static Process* const process = new Process;
  return *process;
}

Context::Context(Job& job, const gaspi_config_t& configuration)
    : config(configuration),
      passive_sends(job.replies),
      pings(job.replies),
      pending_atomics(job.runtime()),
      job_(job),
      runtime_(job.runtime()),
      rank_(job.runtime().rank()),
      size_(job.runtime().size()) {}

Status Context::complete(Timeout timeout) {
  Group& all = runtime().world();
  if (Status status = all.commit(timeout); !status.ok()) return status;
  groups.set_all(all);
  return create_queues();
}

Status Context::create_queues() {
  for (unsigned count = 0; count < config.queue_num; ++count) {
    gaspi_queue_id_t id = 0;
    if (Status status = queues.create(runtime(), config.queue_size_max, id); !status.ok()) return status;
  }
  return {};
}

void Context::end() {
  ending_.store(true, std::memory_order_release);
  passive_offers().end();
  for (const AwaitedFlag& flag : awaited_flags())
    (void)runtime().notify(rank(), flag.segment, {.id = flag.id, .value = 1});
}

gaspi_return_t Process::init(gaspi_timeout_t timeout) {
  const std::lock_guard lock(mutex_);
  if (current() != nullptr) return refuse(GASPI_ERR_INITED, "gaspi_proc_init", "the process is initialised already");
  list_waiting_here();  // not first in a handler of signals, where it must not allocate
  const Deadline deadline(timeout);
  Status status = pending_ == nullptr ? begin(deadline) : Status();
  if (status.ok()) status = pending_->complete(deadline.left());
  if (!status.ok()) {
    if (!status.timed_out()) {
      meeting_.reset();
      pending_.reset();
      job_.reset();
    }
    return failed_to_start(status);
  }
  statistics().prepare(pending_->size());
  say_reasons_as(pending_->rank());
  current_context.store(pending_.release(), std::memory_order_release);
  return GASPI_SUCCESS;
}

Status Process::begin(const Deadline& deadline) {
  name_calls_in_traces();
  if (owner_ == 0) std::atexit([] { process().leave(); });
  owner_ = getpid();
  auto job = Job::join(config_.sn_port, meeting_, deadline.left());
  if (!job.ok()) return std::move(job).status();
  job_ = *std::move(job);
  pending_ = std::make_unique<Context>(*job_, config_);
  return {};
}

gaspi_return_t Process::term(gaspi_timeout_t timeout) {
  // Asked before the lock: a signal handler may have interrupted an initialisation, which holds it.
  if (current() == nullptr) return refuse_before_init("gaspi_proc_term");
  const std::lock_guard lock(mutex_);
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_proc_term");
  const Deadline deadline(timeout);
  if (!wait_for_busy_threads(deadline)) return GASPI_TIMEOUT;
  if (waiting_here.calls.load() + waiting_here.endable.load() > 0) {
    abandon();
    return GASPI_SUCCESS;
  }
  if (drain(*context, deadline).timed_out() || !context->pending_atomics.end(deadline)) return GASPI_TIMEOUT;
  end_dependents();
  current_context.store(nullptr);
  // One that a thread has begun since, and has given up already, nobody waits for.
  if (!end_all(*context) || !context->pending_atomics.end(Deadline(GASPI_TEST))) {
    leave_to_users(*context);
    (void)job_.release();
    return GASPI_SUCCESS;
  }
  delete context;
  job_.reset();
  return GASPI_SUCCESS;
}

// In a signal handler, as in listing 9 of the standard: what the interrupted call of this thread uses, and may have
// locked, is left to the end of the process.
void Process::abandon() {
  leave_to_users(*current_context.exchange(nullptr));
  (void)job_.release();  // the context knows it
}

// Allocates nothing: a signal handler may have interrupted just that.
void Process::leave_to_users(Context& context) {
  context.left_before = std::exchange(left_to_users_, &context);
}

void Process::leave() {
  // A thread that is still in gaspi_proc_init or gaspi_proc_term keeps what it has.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || owner_ != getpid()) return;
  pending_.reset();
  Context* const context = current_context.exchange(nullptr);
  if (context == nullptr) return job_.reset();
  // A call of this very thread, interrupted by the handler of a signal, may hold what leaving needs.
  if (waiting_here.calls.load() + waiting_here.endable.load() == 0) {
    (void)drain(*context, Deadline(kLastPatience));
    context->runtime().leave();
  }
  leave_to_users(*context);  // other threads may be in a call, or have begun one with the context that they saw
}

gaspi_config_t Process::configuration() {
  const std::lock_guard lock(mutex_);
  return config_;
}

gaspi_return_t Process::configure(const gaspi_config_t& config) {
  const std::lock_guard lock(mutex_);
  if (current() != nullptr || pending_ != nullptr) {
    return refuse(GASPI_ERR_INITED, "gaspi_config_set", "the configuration is in use");
  }
  if (const gaspi_return_t code = check(config); code != GASPI_SUCCESS) return code;
  config_ = config;
  return GASPI_SUCCESS;
}

}  // namespace polder::gaspi
