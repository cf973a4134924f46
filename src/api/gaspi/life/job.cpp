#include "api/gaspi/life/job.hpp"

#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/messages/messages.hpp"

#include <cstdio>
#include <limits>
#include <string>

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

}  // namespace

Result<std::unique_ptr<Job>> Job::join(Timeout timeout) {
  RuntimeOptions options;
  options.timeout = timeout;
  options.commit_world = false;
  auto runtime = Runtime::create(options);
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
  status = runtime().register_handler(kReply, [this](Rank, std::span<const std::byte> bytes) {
    if (const auto reply = parse<ReplyMessage>(bytes)) replies.answer(*reply);
  });
  if (!status.ok()) return status;
  status = runtime().register_handler(kPing, [this](Rank source, std::span<const std::byte> bytes) {
    if (const auto ping = parse<PingMessage>(bytes)) answer_ping(runtime(), source, *ping);
  });
  if (!status.ok()) return status;
  return runtime().register_handler(kPrint, [](Rank, std::span<const std::byte> text) { print(text); });
}

}  // namespace polder::gaspi
