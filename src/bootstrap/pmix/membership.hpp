// A process that a launcher with PMIx started, as a rank of its job: from its first runtime until it ends.
#pragma once

#include "bootstrap/gathered/crew.hpp"
#include "bootstrap/gathered/meeting.hpp"
#include "bootstrap/gathered/watcher.hpp"
#include "bootstrap/pmix/client.hpp"
#include "bootstrap/pmix/events.hpp"
#include "util/deadline.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <memory>
#include <vector>

namespace polder::bootstrap::pmix {

class Membership {
 public:
  // Learns from the launcher who is on this node and forms a crew with them. Ranks of other nodes are not asked
  // anything, but for rank 0's secret, which one rank of each node fetches; a fence without data ends the start, so
  // that nobody is gone before it was asked. timeout: call again to go on. Any other error is for good.
  Status start(Timeout timeout);

  const Client& client() const { return *client_; }
  const gathered::Crew& crew() const { return crew_; }
  const local::JobPage& page() const { return *crew_.page; }
  const std::shared_ptr<gathered::Watcher>& watcher() const { return watcher_; }

  // See read_nodes(); empty where the job is on one node.
  const std::vector<Rank>& nodes() const { return nodes_; }

  bool spreads() const { return crew_.ranks.size() < page().size(); }  // to several nodes

 private:
  Status find_crew(const util::Deadline& deadline);
  Status watch_others();

  std::unique_ptr<Client> client_;
  std::unique_ptr<gathered::Meeting> meeting_;  // of the crew
  gathered::Crew crew_;
  std::vector<Rank> nodes_;
  std::shared_ptr<gathered::Watcher> watcher_;
  std::unique_ptr<Events> events_;
  bool started_ = false;
};

}  // namespace polder::bootstrap::pmix
