#include "bootstrap/gathered/join.hpp"

#include "bootstrap/gathered/crew_control.hpp"
#include "bootstrap/gathered/make_meeting.hpp"
#include "bootstrap/gathered/meeting_name.hpp"
#include "bootstrap/local/local_bootstrap.hpp"

#include <unistd.h>

#include <mutex>
#include <numeric>
#include <string>

namespace polder::bootstrap::gathered {
namespace {

// Which job a process belongs to is as much a fact of the process as the environment that says so. Its launcher keeps
// no page for a second runtime to find, so the process does.
struct Membership {
  std::mutex mutex;
  std::unique_ptr<Meeting> meeting;  // while not all have come
  Crew crew;
  std::shared_ptr<Watcher> watcher;  // until the process ends
};

Membership& of_this_process() {
  static Membership membership;
  return membership;
}

Party party_of(const StartedAs& start) {
  Party party{.ranks = std::vector<Rank>(start.size),
              .me = start.rank,
              .job_size = start.size,
              .called = start.rank_variable,
              .advice =
                  "; ranks of one job that were started by different processes, or run different programs, need "
                  "the same POLDER_MEETING=<name>",
              .name = [start] { return meeting_name(start); }};
  std::iota(party.ranks.begin(), party.ranks.end(), Rank{0});
  return party;
}

Status meet(Membership& mine, Timeout timeout) {
  if (mine.meeting == nullptr) {
    auto start = read_start();
    if (!start.ok()) return std::move(start).status();
    if (!*start)
      return {Code::invalid_argument,
              "the environment says nothing of a job: neither GASPI_RANK and GASPI_NRANKS nor PMI_RANK and PMI_SIZE"};
    mine.meeting = make_meeting(party_of(**start));
  }
  auto crew = mine.meeting->meet(timeout);
  if (!crew.ok()) {
    if (!crew.status().timed_out()) mine.meeting.reset();
    return std::move(crew).status();
  }
  mine.meeting.reset();
  auto watcher = Watcher::start(*crew);
  if (!watcher.ok()) return std::move(watcher).status();
  mine.watcher = *std::move(watcher);
  mine.crew = *std::move(crew);
  return {};
}

}  // namespace

Result<std::unique_ptr<Bootstrap>> join(Timeout timeout) {
  Membership& mine = of_this_process();
  std::lock_guard lock(mine.mutex);
  if (mine.crew.page == nullptr)
    if (Status status = meet(mine, timeout); !status.ok()) return status;
  const Rank me = mine.crew.me;
  if (const pid_t owner = mine.crew.process(me).pid; owner != getpid())
    return Status(Code::exists, "process " + std::to_string(owner) + " is rank " + std::to_string(me) +
                                    "; its child cannot be the same rank");
  if (Status status = mine.crew.page->enter(me); !status.ok()) return status;
  return std::unique_ptr<Bootstrap>(
      std::make_unique<local::LocalBootstrap>(mine.crew.page, me, make_crew_control(mine.crew, mine.watcher)));
}

}  // namespace polder::bootstrap::gathered
