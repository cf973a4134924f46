// Finds what reached whom: which notification ended which wait, which message ran which handler, which put was waited
// for.
//
// A flag (rank, segment, id) holds one value at a time, so its life is a row of posts, each taken by at most one reset.
// Events come from all ranks in the order of their times and are matched at once; what is kept is what waits for its
// other half: of that 131,072 values of flags at most, and 4096 ends of each. The oldest are given up.
#pragma once

#include "trace/format/event.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace polder::trace {

// From the call that sent to the call that received. Times as given to add().
struct Flow {
  enum class What : std::uint8_t { notification, message };
  What what = What::notification;
  std::uint16_t from_thread = 0;
  std::uint16_t to_thread = 0;
  Rank from = 0;
  Rank to = 0;
  SegmentId segment = kNoSegment;  // of the notification
  std::uint32_t tag = 0;           // of the notification, or the message's handler
  std::int64_t sent_ns = 0;        // the call that sent begins
  std::int64_t handed_ns = 0;      // and ends
  std::int64_t awaited_ns = 0;     // the call that waited begins
  std::int64_t received_ns = 0;    // and ends
  std::uint64_t bytes = 0;
};

// One end of a flow.
struct FlowEnd {
  enum class Role : std::uint8_t { post, wait, reset, send, receive };

  std::int64_t time_ns = 0;  // a post's beginning, else the end: the order in which ends are matched
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t bytes = 0;
  Rank rank = 0;   // whose event it is
  Rank owner = 0;  // of the flag; of a message, who sent it
  Rank to = 0;     // of a message
  SegmentId segment = 0;
  std::uint32_t tag = 0;
  std::uint32_t value = 0;
  std::uint16_t thread = 0;
  Role role = Role::post;

  bool operator<(const FlowEnd& other) const { return time_ns < other.time_ns; }
};

// False: the event is no end of anything. `like` is the event's kind as readers know it.
bool flow_end(Rank rank, EventKind like, const Event& event, FlowEnd& end);

class FlowMatcher {
 public:
  using Visit = std::function<void(const Flow&)>;
  // By how many nanoseconds the clocks of two ranks may be apart: not at all on one machine.
  using Apart = std::function<std::int64_t(Rank, Rank)>;
  explicit FlowMatcher(
      Visit visit, Apart apart = [](Rank, Rank) { return std::int64_t{0}; })
      : visit_(std::move(visit)), apart_(std::move(apart)) {}

  // In the order of FlowEnd's operator<.
  void add(const FlowEnd& end);

  // The rest: flags that were waited for and never reset.
  void finish();

  // Ends that were given up because too many waited.
  std::uint64_t given_up() const { return given_up_; }

 private:
  struct Value {  // of a flag: its posts without resets, or its resets without posts
    std::deque<FlowEnd> ends;
    std::uint64_t number = 0;  // in the order in which values were met
  };
  struct Flag {
    std::map<std::uint32_t, Value> values;
    std::deque<FlowEnd> waits;  // since the last reset that was matched
  };
  struct Pair {
    std::deque<FlowEnd> sends;
    std::deque<FlowEnd> receives;
  };
  using FlagKey = std::tuple<Rank, SegmentId, std::uint32_t>;
  using PairKey = std::tuple<Rank, Rank, std::uint32_t>;

  void add_to_value(Flag& flag, const FlagKey& key, const FlowEnd& end);
  void drop_those_before(std::deque<FlowEnd>& ends, const FlowEnd& start);
  void forget_oldest_value();
  void match(Flag& flag, const FlowEnd& post, const FlowEnd& reset);
  void emit(Flow::What what, const FlowEnd& from, const FlowEnd& to);
  void push(std::deque<FlowEnd>& ends, const FlowEnd& end);

  Visit visit_;
  Apart apart_;
  std::map<FlagKey, Flag> flags_;
  std::map<std::uint64_t, std::pair<FlagKey, std::uint32_t>> values_;  // all that wait, the oldest first
  std::uint64_t next_value_ = 0;
  std::map<PairKey, Pair> pairs_;
  std::uint64_t given_up_ = 0;
};

}  // namespace polder::trace
