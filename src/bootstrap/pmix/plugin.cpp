// The door by which core finds this module.

#include "bootstrap/plugin.hpp"

#include "bootstrap/gathered/crew_control.hpp"
#include "bootstrap/gathered/spread_bootstrap.hpp"
#include "bootstrap/local/local_bootstrap.hpp"
#include "bootstrap/pmix/membership.hpp"
#include "bootstrap/pmix/records.hpp"

#include <polder/export.hpp>

#include <unistd.h>

#include <mutex>
#include <string>

namespace polder::bootstrap::pmix {
namespace {

// PMIx knows one client in a process, and finalizes it for good.
struct ThisProcess {
  std::mutex mutex;
  std::shared_ptr<Membership> membership;  // until the process ends, or its start has failed
};

ThisProcess& this_process() {
  static ThisProcess process;
  return process;
}

Result<std::unique_ptr<Bootstrap>> attach(Timeout timeout) {
  ThisProcess& mine = this_process();
  std::lock_guard lock(mine.mutex);
  if (mine.membership == nullptr) mine.membership = std::make_shared<Membership>();
  if (Status status = mine.membership->start(timeout); !status.ok()) {
    if (!status.timed_out()) mine.membership.reset();
    return status;
  }
  const gathered::Crew& crew = mine.membership->crew();
  if (const pid_t owner = crew.process(crew.me).pid; owner != getpid())
    return Status(Code::exists, "process " + std::to_string(owner) + " is rank " + std::to_string(crew.me) +
                                    "; its child cannot be the same rank");
  if (Status status = crew.page->enter(crew.me); !status.ok()) return status;
  auto node = std::make_unique<local::LocalBootstrap>(crew.page, crew.me,
                                                      gathered::make_crew_control(crew, mine.membership->watcher()));
  return std::unique_ptr<Bootstrap>(std::make_unique<gathered::SpreadBootstrap>(
      std::move(node), crew.ranks, mine.membership->nodes(), make_beyond(mine.membership)));
}

}  // namespace
}  // namespace polder::bootstrap::pmix

extern "C" POLDER_API void polder_create_bootstrap(
    polder::Timeout timeout, polder::Result<std::unique_ptr<polder::bootstrap::Bootstrap>>& bootstrap) {
  bootstrap = polder::bootstrap::pmix::attach(timeout);
}
