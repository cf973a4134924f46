#include "launch/supervisor.hpp"

#include "launch/report.hpp"
#include "live/words.hpp"
#include "util/deadline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/epoll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace polder::cli {
namespace {

namespace local = bootstrap::local;
using local::News;
using local::RankState;

constexpr std::int64_t kLookInterval_ns = 500'000'000;
constexpr std::size_t kLastSentences = 16;

std::int64_t end_of(const std::optional<std::chrono::nanoseconds>& timeout) {
  return timeout ? util::now_ns() + timeout->count() : INT64_MAX;
}

std::string seconds(std::chrono::nanoseconds span) {
  return fmt::format("{:g} s", std::chrono::duration<double>(span).count());
}

// Some of them: of thousands nobody reads all.
std::string some_of(const std::vector<Rank>& ranks) {
  constexpr std::size_t kMost = 16;
  if (ranks.size() <= kMost) return fmt::format("{}", fmt::join(ranks, ", "));
  return fmt::format("{} and {} more", fmt::join(ranks.begin(), ranks.begin() + kMost, ", "), ranks.size() - kMost);
}

const char* ranks_word(std::size_t count) {
  return count == 1 ? "rank" : "ranks";
}

// What waitpid would say.
int wait_status_of(const siginfo_t& ended) {
  if (ended.si_code == CLD_EXITED) return (ended.si_status & 0xff) << 8;
  return ended.si_status | (ended.si_code == CLD_DUMPED ? 0x80 : 0);
}

}  // namespace

Supervisor::Supervisor(const RunOptions& options, Surroundings surroundings)
    : options_(options),
      with_(surroundings),
      escalation_(options.grace),
      timeout_at_(end_of(options.timeout)),
      observer_(surroundings.page),
      look_at_(options.watch ? util::now_ns() + kLookInterval_ns : INT64_MAX) {}

int Supervisor::run() {
  Status status = watch();
  while (with_.crew.running() > 0 && status.ok()) {
    status = with_.loop.run_once(nanoseconds_to_sleep());
    on_time();
  }
  if (!status.ok()) {
    say("cannot watch the ranks and ends them: " + status.to_string());
    settle(kExitLauncher);
    with_.crew.signal_all(SIGKILL);
  }
  with_.screen.clear();
  return exit_code_.value_or(0);
}

Status Supervisor::watch() {
  if (Status status = with_.loop.watch(with_.signals.file(), EPOLLIN, [this] { on_signals(); }); !status.ok())
    return status;
  return with_.loop.watch(with_.news, EPOLLIN, [this] { on_news(); });
}

std::int64_t Supervisor::nanoseconds_to_sleep() const {
  const std::int64_t next = std::min({escalation_.next(), timeout_at_, look_at_});
  return next == INT64_MAX ? -1 : std::max<std::int64_t>(next - util::now_ns(), 0);
}

void Supervisor::on_time() {
  const std::int64_t now = util::now_ns();
  if (now >= timeout_at_ && with_.crew.running() > 0) {
    timeout_at_ = INT64_MAX;
    say(fmt::format("the job ran longer than {} (--timeout); ending it", seconds(*options_.timeout)));
    say_where_ranks_stand();
    settle(kExitTimeout);
    escalation_.end(now);
  }
  if (now >= look_at_ && with_.crew.running() > 0) {
    look_at_ = now + kLookInterval_ns;
    if (!with_.plumbing.is_behind()) with_.screen.show(observer_.look());
  }
  const auto signal = escalation_.due(now);
  if (!signal || with_.crew.running() == 0) return;
  const auto ranks = with_.crew.running_ranks();
  if (*signal == SIGTERM && aborted_by_ == std::nullopt && exit_code_ != kExitTimeout)
    say(fmt::format("ending the {} {} still running (SIGTERM, then SIGKILL after {})", ranks.size(),
                    ranks_word(ranks.size()), seconds(options_.grace)));
  if (*signal == SIGKILL)
    say(fmt::format("killing {} {} that did not end in time: {}", ranks.size(), ranks_word(ranks.size()),
                    some_of(ranks)));
  with_.crew.signal_all(*signal);
  with_.crew.signal_all(SIGCONT);  // a stopped rank would not see the SIGTERM
}

void Supervisor::on_signals() {
  while (const auto signal = with_.signals.next()) {
    switch (*signal) {
      case SIGCHLD: reap(); break;
      case SIGTSTP: suspend(); break;
      case SIGCONT: resume(); break;
      default: pass_on(*signal);
    }
  }
}

// The second of a kind means it.
void Supervisor::pass_on(int signal) {
  const bool again = !passed_on_.insert(signal).second;
  if (!again && signal == SIGINT) say_where_ranks_stand();
  if (again && (signal == SIGINT || signal == SIGTERM)) {
    settle(128 + signal);
    escalation_.kill(util::now_ns());
  } else {
    with_.crew.signal_all(signal);
  }
}

void Supervisor::suspend() {
  with_.crew.signal_all(SIGTSTP);
  stop_like_a_job();
  resume();
}

void Supervisor::resume() {
  with_.crew.signal_all(SIGCONT);
  with_.plumbing.resume();
}

void Supervisor::reap() {
  on_news();  // what a rank said before it ended explains its end
  abort();    // if one asks for it: another one that asks, too, ends before the news of that is there
  // Looks first and reaps afterwards: the page says that a rank is gone before its process number can be a stranger's.
  for (siginfo_t ended{}; waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0; ended = {}) {
    if (const auto rank = with_.crew.rank_of(ended.si_pid)) on_end(*rank, wait_status_of(ended));
    waitpid(ended.si_pid, nullptr, WNOHANG);
  }
}

void Supervisor::on_end(Rank rank, int wait_status) {
  const local::JobPage& page = with_.page;
  const RankState before = page.state(rank);
  with_.crew.reaped(rank, wait_status);
  if (exit_code(wait_status) == 0 && before != RankState::attached)
    page.declare_finished(rank);  // unless it was declared failed: that stays
  else
    page.declare_failed(rank);

  const std::uint32_t asked_by = page.slot(rank).kill_asked.load();
  if (asked_by != 0 && WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL)
    say(fmt::format("{} was killed as rank {} asked", name(rank), asked_by - 1));
  else if (exit_code(wait_status) == 0)
    on_quiet_end(rank, before == RankState::attached);
  else
    on_failure(rank, wait_status);
}

void Supervisor::on_failure(Rank rank, int wait_status) {
  if (!is_our_doing(rank, wait_status)) say(name(rank) + " " + describe_end(wait_status));
  settle(exit_code(wait_status));
  // Also where its runtime had been shut down: the job has failed, and who still hangs would hang for ever.
  if (!options_.keep_going) escalation_.after_failure(util::now_ns());
}

void Supervisor::on_quiet_end(Rank rank, bool was_attached) {
  const std::uint32_t reporter = with_.page.slot(rank).reported_by.load();
  if (reporter != 0)
    say(fmt::format("{} exited with code 0 after rank {} had reported it as failed", name(rank), reporter - 1));
  else if (was_attached)
    say(name(rank) + " exited with code 0 without shutting its runtime down; its peers see it as failed");
}

bool Supervisor::is_our_doing(Rank rank, int wait_status) const {
  if (rank == aborted_by_ || start_failed_) return true;
  // Of several that abort at a time the first one was heard; the others end with their codes, mostly the same.
  if (!WIFSIGNALED(wait_status)) return aborted_by_ && exit_code(wait_status) == exit_code_;
  const int signal = WTERMSIG(wait_status);
  return passed_on_.contains(signal) || (escalation_.has_signalled() && (signal == SIGTERM || signal == SIGKILL));
}

void Supervisor::on_news() {
  std::array<News, 64> news;
  for (ssize_t bytes; (bytes = read(with_.news, news.data(), sizeof news)) > 0;)
    for (std::size_t i = 0; i < std::size_t(bytes) / sizeof(News); ++i)
      if (news[i].rank < with_.page.size()) take(news[i]);
}

void Supervisor::take(const News& news) {
  switch (news.kind) {
    case News::attached_below: return watch_attached(news.rank);
    case News::kill_asked: return with_.crew.signal(news.rank, SIGKILL);
    case News::abort_asked: return abort();
    case News::not_started: return report_not_started(news.rank, news.error);
  }
}

void Supervisor::watch_attached(Rank rank) {
  const int file = with_.crew.watch_attached(rank);
  const bool watched = file >= 0 && with_.loop
                                        .watch(file, EPOLLIN,
                                               [this, rank, file] {
                                                 with_.loop.forget(file);
                                                 on_attached_end(rank);
                                               })
                                        .ok();
  if (watched) return;
  // Gone already, or the kernel cannot tell; then the end of the wrapper will.
  if (errno == ESRCH) on_attached_end(rank);
  if (errno != EMFILE || unwatched_) return;
  unwatched_ = true;
  say("no descriptor is left to watch ranks behind wrappers, whose end is seen when that of their wrapper is; raise "
      "ulimit -Hn");
}

void Supervisor::on_attached_end(Rank rank) {
  on_news();
  with_.crew.attached_ended(rank);
  const bool failed = with_.page.declare_failed(rank);
  if (failed && !escalation_.has_signalled() && rank != aborted_by_)
    say(fmt::format("{}: process {}, below the one that was started, ended without shutting its runtime down",
                    name(rank), with_.page.slot(rank).pid.load()));
}

void Supervisor::abort() {
  const local::AbortRequest* request = with_.page.abort_request();
  if (request == nullptr || aborted_by_) return;
  aborted_by_ = request->rank;
  say(fmt::format("{} aborted the job (code {}): {}", name(request->rank), request->code, request->text()));
  const int code = request->code & 0xff;
  settle(code == 0 && request->code != 0 ? 1 : code);
  escalation_.end(util::now_ns());
}

void Supervisor::report_not_started(Rank rank, int error) {
  if (start_failed_) return;
  start_failed_ = true;
  const char* hint = error == ENOENT ? " (its interpreter or loader is missing)" : "";
  say(fmt::format("{} cannot become '{}': {}{}", name(rank), options_.command.front(), std::strerror(error), hint));
  settle(error == ENOENT ? kExitNotFound : kExitNotExecutable);
  escalation_.end(util::now_ns());
}

void Supervisor::say(const std::string& sentence) {
  with_.plumbing.say(sentence);
}

// Of programs that have joined; the launcher knows nothing of others.
void Supervisor::say_where_ranks_stand() {
  const Snapshot snapshot = observer_.look();
  if (!snapshot.is_live()) return;
  for (const std::string& sentence : sentences(snapshot, kLastSentences)) say(sentence);
}

void Supervisor::settle(int code) {
  if (!exit_code_) exit_code_ = code;
}

std::string Supervisor::name(Rank rank) const {
  return fmt::format("rank {} on {}", rank, with_.page.header().host);
}

}  // namespace polder::cli
