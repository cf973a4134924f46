#include "core/message/clock_ping.hpp"

#include "core/message/question.hpp"
#include "core/message/requests.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/waits.hpp"
#include "trace/record/recorder.hpp"
#include "util/deadline.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace polder::core {
namespace {

constexpr int kQuestions = 12;
constexpr Timeout kLast = std::chrono::milliseconds(50);

bool asks(const Outside& outside) {
  const bootstrap::Bootstrap& job = *outside.bootstrap;
  return outside.recorder() != nullptr && job.job().local_rank == 0 && !job.same_node(0);
}

}  // namespace

void answer_clock_pings(Outside& outside, Requests& requests) {
  requests.serve(number::kClock, [&outside, &requests](const Request& request) {
    trace::Recorder* const recorder = outside.recorder();
    const std::int64_t ticks = recorder == nullptr ? 0 : recorder->now();
    if (recorder == nullptr)
      requests.reply(request.caller, Code::unsupported);
    else
      requests.reply(request.caller, Code::ok, std::as_bytes(std::span(&ticks, 1)));
  });
}

void ping_clocks(Outside& outside, Progress& progress, Peers& peers, Requests& requests, Timeout timeout) {
  if (!asks(outside)) return;
  trace::Recorder& recorder = *outside.recorder();
  const util::Deadline deadline(timeout, clock_of(progress));
  auto peer = peers.connect(0, timeout);
  std::vector<trace::SyncRecord> records;
  for (int i = 0; peer.ok() && i < kQuestions; ++i) {
    auto question = Question::make(progress, sizeof(std::int64_t));
    RequestHead head;
    trace::SyncRecord record{.peer = 0, .asked = recorder.now()};
    Status status = question->ask(question, [&](Question& q) {
      return peers.post_until_accepted(
          **peer,
          [&] {
            return requests.call(**peer, number::kClock, head, {},
                                 {.completion = &q, .data = q.answer(), .bytes = sizeof(std::int64_t)});
          },
          deadline.remaining());
    });
    if (status.ok())
      status = wait_for(
          progress, [&] { return question->answered() || peers.health(0) != Health::healthy; }, deadline.remaining(),
          [](bootstrap::LongWait& wait) {
            wait.say("for the clock of another machine");
            wait.wait_for(0);
          });
    if (!status.ok() || !question->answered() || !question->status().ok()) break;
    record.answered = recorder.now();
    std::memcpy(&record.peer_ticks, question->answer(), sizeof record.peer_ticks);
    records.push_back(record);
  }
  if (!records.empty()) recorder.note_sync(records);
}

void await_last_clock_pings(const Outside& outside, Progress& progress) {
  const bootstrap::Job& job = outside.bootstrap->job();
  if (outside.recorder() == nullptr || job.rank != 0 || job.local_size == job.size) return;
  (void)wait_for(
      progress, [] { return false; }, kLast,
      [](bootstrap::LongWait& wait) { wait.say("for questions for the clock"); });
}

}  // namespace polder::core
