#include "api/gaspi/life/job.hpp"

#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/messages/messages.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace polder::gaspi {
namespace {

void print(std::span<const std::byte> text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// Where there is no room for the answer now, the one who asked will ask again.
void answer_ping(Runtime& runtime, Rank source, const PingMessage& ping) {
  const ReplyMessage reply{ping.token, GASPI_SUCCESS};
  (void)runtime.send(source, kReply, as_message(reply), Timeout::test());
}

// Ranks that have met exchange what they need once, together: one whose time is over then stays with the others, which
// may be between two calls of gaspi_proc_init.
constexpr Timeout kExchangePatience = std::chrono::seconds(30);

// Of `polder run`, which goes first, wherever it was called: maybe by a rank that a script has started.
bool is_in_job() {
  const char* const page = std::getenv("POLDER_JOB");
  return page != nullptr && *page != '\0';
}

Result<std::unique_ptr<Runtime>> create_runtime(unsigned port, std::unique_ptr<StartNetwork>& meeting,
                                                Timeout timeout) {
  const Deadline deadline(timeout);
  RuntimeOptions options;
  options.timeout = timeout;
  options.commit_world = false;
  if (meeting == nullptr) {
    const auto start = is_in_job() ? std::nullopt : read_start_file(port);
    if (!start) return Runtime::create(options);
    meeting = std::make_unique<StartNetwork>(*start);
  }
  if (Status status = meeting->meet(deadline); !status.ok()) return status;
  const std::unique_ptr<StartNetwork> network = std::move(meeting);
  const Timeout left = deadline.left();
  options.timeout = left.nanoseconds() > kExchangePatience.nanoseconds() ? left : kExchangePatience;
  return Runtime::create(options, network->exchange(options.timeout));
}

}  // namespace

Result<std::unique_ptr<Job>> Job::join(unsigned port, std::unique_ptr<StartNetwork>& meeting, Timeout timeout) {
  auto runtime = create_runtime(port, meeting, timeout);
  if (!runtime.ok()) return std::move(runtime).status();
  if ((*runtime)->size() > std::numeric_limits<gaspi_rank_t>::max()) {
    return Status(Code::limit, "gaspi_proc_init: a rank of GASPI has 16 bits, and the job has " +
                                   std::to_string((*runtime)->size()) + " ranks");
  }
  std::unique_ptr<Job> job(new Job);
  job->runtime_ = *std::move(runtime);
  if (Status status = job->register_handlers(); !status.ok()) return status;
  return job;
}

Status Job::register_handlers() {
  Status status = runtime().register_handler(kOffer, [this](Rank source, std::span<const std::byte> bytes) {
    if (const auto offer = parse<OfferMessage>(bytes)) offers.arrive(source, *offer);
  });
  if (!status.ok()) return status;
  status = runtime().register_handler(kWithdraw, [this](Rank source, std::span<const std::byte> bytes) {
    if (const auto offer = parse<WithdrawMessage>(bytes)) offers.withdraw(source, *offer);
  });
  if (!status.ok()) return status;
  status = runtime().register_handler(kReply, [this](Rank, std::span<const std::byte> bytes) {
    if (const auto reply = parse<ReplyMessage>(bytes)) replies.answer(*reply);
  });
  if (!status.ok()) return status;
  status = runtime().register_handler(kPing, [this](Rank source, std::span<const std::byte> bytes) {
    offers.reply_again(runtime());
    if (const auto ping = parse<PingMessage>(bytes); ping && ping->token != kNobody)
      answer_ping(runtime(), source, *ping);
  });
  if (!status.ok()) return status;
  return runtime().register_handler(kPrint, [](Rank, std::span<const std::byte> text) { print(text); });
}

}  // namespace polder::gaspi
