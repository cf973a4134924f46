#include "bootstrap/gathered/crew.hpp"

#include "bootstrap/gathered/wake_pipe.hpp"
#include "util/deadline.hpp"
#include "util/log.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace polder::bootstrap::gathered {
namespace {

// For ranks to follow a request to end; who is stopped, or has ended its runtime, needs to be killed.
constexpr std::chrono::seconds kGrace{3};

// As a shell will see it; an abort is no success.
int exit_code(int code) {
  return (code & 0xff) == 0 ? 1 : code & 0xff;
}

std::vector<util::Fd> processes_of_others(const Crew& crew) {
  std::vector<util::Fd> others;
  for (const Rank rank : crew.ranks) {
    if (crew.has_ended(rank) || crew.process(rank).pid == getpid()) continue;
    if (auto process = open_process(crew.process(rank)); process.ok()) others.push_back(*std::move(process));
  }
  return others;
}

void wait_for_ends(const std::vector<util::Fd>& processes, const util::Deadline& deadline) {
  for (const util::Fd& process : processes) {
    pollfd end{.fd = process.get(), .events = POLLIN, .revents = 0};
    poll(&end, 1, int(deadline.left(kGrace.count() * 1'000'000'000) / 1'000'000));
  }
}

[[noreturn]] void end_node(const Crew& crew, int code) {
  const std::vector<util::Fd> others = processes_of_others(crew);
  for (const Rank rank : crew.ranks)
    if (rank != crew.me) wake(crew.slot(rank));
  wait_for_ends(others, util::Deadline(kGrace));
  for (const util::Fd& process : others) static_cast<void>(send_signal(process, SIGKILL));  // most have ended
  _exit(exit_code(code));
}

}  // namespace

ProcessId Crew::process(Rank rank) const {
  return {slot(rank).pid.load(), slot(rank).started.load()};
}

std::vector<Rank> Crew::those_after_me() const {
  std::vector<Rank> ring = ranks;
  std::rotate(ring.begin(), std::upper_bound(ring.begin(), ring.end(), me), ring.end());
  ring.pop_back();
  return ring;
}

void note_end(const Crew& crew, Rank rank) {
  local::RankSlot& slot = crew.slot(rank);
  WakePipe::withdraw(slot);
  slot.pid_ended.store(1, std::memory_order_release);
  if (!crew.page->declare_failed(rank)) slot.bell.ring();  // it had finished and can no longer come back
}

Status kill_rank(const Crew& crew, Rank by, Rank rank) {
  std::uint32_t nobody = 0;
  crew.slot(rank).kill_asked.compare_exchange_strong(nobody, by + 1);
  auto process = open_process(crew.process(rank));
  if (process.ok()) return send_signal(*process, SIGKILL);
  return {process.status().code(),
          "kill: rank " + std::to_string(rank) + ": " + std::string(process.status().message()), Died::peer};
}

void abort_job(const Crew& crew, int code, std::string_view reason) {
  if (crew.page->request_abort(crew.me, code, reason))
    util::log(util::LogLevel::error, "rank %u aborted the job (code %d): %.*s", crew.me, code, int(reason.size()),
              reason.data());
  end_node(crew, code);
}

void follow_abort(const local::AbortRequest& request) {
  _exit(exit_code(request.code));
}

void complete_abort(const Crew& crew, const local::AbortRequest& request) {
  end_node(crew, request.code);
}

}  // namespace polder::bootstrap::gathered
