// Collectives as what they are, one event of all members: who came when, and when each left. Exchanges of neighbours are
// none: in those a member waits for its neighbours, whom traces do not name.
#pragma once

#include "trace/format/event.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <tuple>

namespace polder::trace {

// One member's part in one collective of a group.
struct Attendance {
  std::uint32_t group = 0;
  EventKind kind = EventKind::none;  // as readers know it
  std::uint16_t thread = 0;
  std::uint64_t number = 0;  // which one of this kind in the group
  Rank rank = 0;
  Rank root = kNoPeer;
  std::int64_t begin_ns = 0;  // of the first call, where it took several with timeouts
  std::int64_t end_ns = 0;
  std::uint64_t bytes = 0;

  bool operator<(const Attendance& other) const {
    return std::tie(group, kind, number, rank, begin_ns) <
           std::tie(other.group, other.kind, other.number, other.rank, other.begin_ns);
  }
  bool same_meeting(const Attendance& other) const {
    return group == other.group && kind == other.kind && number == other.number;
  }
};

// Numbers the collectives of each rank: by what the event says, else in their order, which is right where all were recorded.
class Roll {
 public:
  // False: the event is no meeting of all members, or one that goes on in a later call. One that is asked for again when
  // it has ended is told again, with the same number.
  bool take(Rank rank, EventKind like, const Event& event, Attendance& attendance);

 private:
  using Which = std::tuple<Rank, std::uint32_t, EventKind>;
  std::map<Which, std::uint32_t> done_;                                // of those without a number
  std::map<std::tuple<Which, std::uint64_t>, std::int64_t> begun_ns_;  // of those that timed out, by number
};

}  // namespace polder::trace
