#include "core/health/remote_end.hpp"

#include "bootstrap/standing.hpp"
#include "core/message/question.hpp"
#include "core/message/requests.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "util/deadline.hpp"
#include "util/log.hpp"

#include <string>

namespace polder::core {

RemoteEnd::RemoteEnd(Outside& outside, Progress& progress, Peers& peers, Requests& requests)
    : outside_(outside), progress_(progress), peers_(peers), requests_(requests) {
  requests.serve(number::kEnd, [this](const Request& request) { obey(request); });
}

Status RemoteEnd::end(Rank rank, Timeout timeout) {
  const util::Deadline deadline(timeout, clock_of(progress_));
  auto peer = peers_.connect(rank, timeout);
  if (!peer.ok()) return std::move(peer).status();
  auto question = Question::make(progress_);
  RequestHead head;
  Status status = question->ask(question, [&](Question& q) {
    return peers_.post_until_accepted(
        **peer, [&] { return requests_.call(**peer, number::kEnd, head, {}, {.completion = &q}); },
        deadline.remaining());
  });
  if (status.ok())
    status = wait_for(
        progress_, [&] { return question->answered() || peers_.health(rank) != Health::healthy; }, deadline.remaining(),
        [&](bootstrap::LongWait& wait) {
          wait.say("for the end of a rank");
          wait.wait_for(rank);
        });
  if (status.timed_out() || status.code() == Code::queue_full)
    return {Code::timeout, "kill: rank " + std::to_string(rank) + ", on another machine, does not answer"};
  if (!status.ok() || peers_.health(rank) != Health::healthy) return status;
  // It lives, whatever it answers; and what went wrong there is no end of this call.
  if (question->status().code() != Code::peer_failed) return question->status();
  return {Code::system, "kill: rank " + std::to_string(rank) + ", on another machine, could not be ended there"};
}

// As if a rank of this node had asked: the launcher is told that this end is no failure of the job.
void RemoteEnd::obey(const Request& request) {
  util::log(util::LogLevel::info, "rank %u ends because rank %u asked for it", outside_.rank(), request.caller.rank);
  const Status status = outside_.bootstrap->kill(outside_.rank());
  if (status.ok()) return;
  util::log(util::LogLevel::warning, "rank %u does not end: %s", outside_.rank(), status.to_string().c_str());
  requests_.reply(request.caller, status.code());
}

}  // namespace polder::core
