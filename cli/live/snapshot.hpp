// What the ranks of a job do at one moment, as its page and the kernel show it to those who look from outside.
#pragma once

#include "bootstrap/local/job_page.hpp"
#include "bootstrap/standing.hpp"

#include <polder/types.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace polder::cli {

struct RankView {
  // A second; over the time between two snapshots, 0 in the first.
  struct Rates {
    double cores = 0;         // of processor time
    double asleep = 0;        // in waits, at most 1; one that ends is counted whole
    double sleeps = 0;        // waits that slept
    double collectives = 0;   // barriers and other collective calls that ended
    double posted_bytes = 0;  // handed to a network
  };

  Rank rank = 0;
  bootstrap::local::RankState state = bootstrap::local::RankState::starting;
  std::optional<bootstrap::LongWait> wait;
  double waited_s = 0;
  char process = '?';  // see ProcessState
  Rates rates;
};

struct Snapshot {
  std::int64_t at_ns = 0;       // of the monotonic clock
  std::vector<RankView> ranks;  // those whose place on the page was ever taken, upwards

  // Some rank has joined and not left: there is something to tell.
  bool is_live() const;
};

class Observer {
 public:
  // The page outlives it.
  explicit Observer(const bootstrap::local::JobPage& page) : page_(page), before_(page.size()) {}

  Snapshot look();

 private:
  struct Before {
    std::int64_t at_ns = 0;
    std::int64_t cpu_ns = 0;
    std::int64_t asleep_ns = 0;
    bootstrap::Standing::Counts counts;
  };

  RankView look_at(Rank rank, std::int64_t now);
  void set_rates(RankView& view, const Before& after);

  const bootstrap::local::JobPage& page_;
  std::vector<Before> before_;
};

}  // namespace polder::cli
