// What the launcher's daemons notice of ranks.
//
// Ranks tell each other nothing in this way: the daemons of Open MPI 4.1 stop working when a rank sends an event across
// nodes, and those of Slurm do not pass any on. That a rank of another node has left is heard from the network device.
#pragma once

#include "bootstrap/local/job_page.hpp"
#include "bootstrap/pmix/client.hpp"

#include <polder/status.hpp>

#include <memory>

namespace polder::bootstrap::pmix {

// As long as it lives, what is heard of ranks goes into the job page of this node, and the loss of the launcher ends
// this process. PMIx calls from a thread of its own.
class Events {
 public:
  // Both must outlive it.
  static Result<std::unique_ptr<Events>> listen(const Client& client, const local::JobPage& page);
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

 private:
  Events(const Client& client, const local::JobPage& page) : client_(client), page_(page) {}

  static void on_event(std::size_t handler, pmix_status_t event, const pmix_proc_t* source, pmix_info_t info[],
                       std::size_t infos, pmix_info_t results[], std::size_t result_count,
                       pmix_event_notification_cbfunc_fn_t done, void* token);
  void take(pmix_status_t event, const pmix_proc_t& affected) const;
  void end_without_launcher() const;

  const Client& client_;
  const local::JobPage& page_;
  std::size_t handler_ = 0;
};

}  // namespace polder::bootstrap::pmix
