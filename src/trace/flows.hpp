// Finds which notification ended which wait.
//
// A flag (rank, segment, id) holds one value at a time, so its life is a row of posts, each taken by at most one reset.
// The matcher keeps the events with a notification and nothing else: 40 bytes for each.
#pragma once

#include "trace/event.hpp"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace polder::trace {

// An arrow from the post to the wait (or, if nobody waited, the reset) that it satisfied. Times as given to add().
struct Flow {
  Rank from = 0;
  std::uint16_t from_thread = 0;
  std::int64_t from_ns = 0;
  Rank to = 0;
  std::uint16_t to_thread = 0;
  std::int64_t to_ns = 0;
};

class FlowMatcher {
 public:
  // Takes note of `event` of `rank`, whose times are on a clock common to all ranks.
  void add(Rank rank, const Event& event);

  // Matches posts to resets of the same flag and value, in order of time. Call once, after all events. Posts that no
  // reset took and resets of posts that were not traced stay unmatched.
  std::vector<Flow> match();

 private:
  struct Moment {
    std::int64_t begin_ns;
    std::int64_t end_ns;
    NotificationValue value;
    Rank rank;
    std::uint16_t thread;
  };
  struct FlagLife {
    std::vector<Moment> posts;
    std::vector<Moment> waits;
    std::vector<Moment> resets;
  };
  using FlagKey = std::tuple<Rank, SegmentId, NotificationId>;

  static void match_flag(FlagLife& life, std::vector<Flow>& flows);
  static const Moment& seen_first(const std::vector<Moment>& waits, const Moment& post, const Moment& reset);

  std::map<FlagKey, FlagLife> flags_;
};

}  // namespace polder::trace
