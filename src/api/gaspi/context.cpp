#include "api/gaspi/context.hpp"

#include "api/gaspi/configuration.hpp"
#include "api/gaspi/error.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>

namespace polder::gaspi {
namespace {

void print(std::span<const std::byte> text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// For the queues of a context that ends: what cannot be completed because a peer is gone holds nobody up.
Status drain(Context& context, const Deadline& deadline) {
  for (unsigned id = 0; id < kMaxQueues; ++id) {
    Queue* const queue = context.queues.find(gaspi_queue_id_t(id));
    if (queue == nullptr) continue;
    if (Status status = queue->wait(Completion::remote, deadline.left()); status.timed_out()) return status;
  }
  return {};
}

bool wait_for_threads(const Context& context, const Deadline& deadline) {
  while (context.waiting.load() > 0) {
    if (deadline.over()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
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

Statistics& statistics() {
  static Statistics* const statistics = new Statistics;
  return *statistics;
}

Result<std::unique_ptr<Context>> Context::create(const gaspi_config_t& config, Timeout timeout) {
  auto runtime = Runtime::create({.timeout = timeout,
                                  .commit_world = false,
                                  .queue_depth = config.queue_size_max,
                                  .segment_limit = kMaxSegments + 1});
  if (!runtime.ok()) return std::move(runtime).status();
  std::unique_ptr<Context> context(new Context(config));
  context->runtime_ = *std::move(runtime);
  context->rank_ = context->runtime().rank();
  context->size_ = context->runtime().size();
  if (context->size_ > std::numeric_limits<gaspi_rank_t>::max()) {
    return Status(Code::limit, "gaspi_proc_init: a rank of GASPI has 16 bits, and the job has " +
                                   std::to_string(context->size_) + " ranks");
  }
  if (Status status = context->register_handlers(); !status.ok()) return status;
  return context;
}

Status Context::register_handlers() {
  Status status = runtime().register_handler(kOffer, [this](Rank source, std::span<const std::byte> bytes) {
    if (const auto offer = parse<OfferMessage>(bytes)) passive_offers.arrive(source, *offer);
  });
  if (!status.ok()) return status;
  status = runtime().register_handler(kReply, [this](Rank, std::span<const std::byte> bytes) {
    if (const auto reply = parse<ReplyMessage>(bytes)) replies.answer(*reply);
  });
  if (!status.ok()) return status;
  status = runtime().register_handler(kPing, [this](Rank source, std::span<const std::byte> bytes) {
    const auto ping = parse<PingMessage>(bytes);
    if (!ping) return;
    const ReplyMessage reply{ping->token, GASPI_SUCCESS};
    // Where there is no room now, the one who asked will ask again.
    (void)runtime().send(source, kReply, as_message(reply), Timeout::test());
  });
  if (!status.ok()) return status;
  return runtime().register_handler(kPrint, [](Rank, std::span<const std::byte> text) { print(text); });
}

Status Context::complete(Timeout timeout) {
  if (Status status = runtime().world().commit(timeout); !status.ok()) return status;
  groups.set_all(runtime().world());
  return create_queues();
}

Status Context::create_queues() {
  for (unsigned count = 0; count < config.queue_num; ++count) {
    gaspi_queue_id_t id = 0;
    if (Status status = queues.create(runtime(), config.queue_size_max, id); !status.ok()) return status;
  }
  return {};
}

gaspi_return_t Process::init(gaspi_timeout_t timeout) {
  const std::lock_guard lock(mutex_);
  if (current() != nullptr) return refuse(GASPI_ERR_INITED, "gaspi_proc_init", "the process is initialised already");
  const Deadline deadline(timeout);
  if (pending_ == nullptr) {
    if (const gaspi_return_t code = begin(deadline); code != GASPI_SUCCESS) return code;
  }
  if (const Status status = pending_->complete(deadline.left()); !status.ok()) {
    if (!status.timed_out()) pending_.reset();
    return failed(status);
  }
  statistics().prepare(pending_->size());
  current_context.store(pending_.release(), std::memory_order_release);
  return GASPI_SUCCESS;
}

gaspi_return_t Process::begin(const Deadline& deadline) {
  if (owner_ == 0) std::atexit([] { process().leave(); });
  owner_ = getpid();
  auto context = Context::create(config_, deadline.left());
  if (!context.ok()) return failed(context.status());
  pending_ = *std::move(context);
  return GASPI_SUCCESS;
}

gaspi_return_t Process::term(gaspi_timeout_t timeout) {
  const std::lock_guard lock(mutex_);
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_proc_term");
  const Deadline deadline(timeout);
  if (!wait_for_threads(*context, deadline)) return GASPI_TIMEOUT;
  if (drain(*context, deadline).timed_out()) return GASPI_TIMEOUT;
  current_context.store(nullptr);
  delete context;
  return GASPI_SUCCESS;
}

void Process::leave() {
  // A thread that is still in gaspi_proc_init or gaspi_proc_term keeps what it has.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || owner_ != getpid()) return;
  pending_.reset();
  Context* const context = current_context.exchange(nullptr);
  if (context != nullptr && context->waiting.load() == 0) delete context;
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
