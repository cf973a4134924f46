// One thread's events as OTF2 has them: regions entered and left, and within them the records of one-sided operations.
#pragma once

#include "trace/analyse/flows.hpp"
#include "trace/convert/otf2_archive.hpp"
#include "trace/read/job.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

namespace polder::trace {

// What happens on one thread, in the order in which it is written.
struct Otf2Record {
  enum class What : std::uint8_t { notified, ended, span, instant };
  Rank rank = 0;
  std::uint16_t thread = 0;
  What what = What::span;  // notified: a flag or a message of event.peer has come; ended: an asynchronous collective
  Event event;

  std::int64_t time() const { return what == What::ended ? event.end_ns : event.begin_ns; }
  // What ends later has begun first; what has come in a call comes before the next one begins.
  bool operator<(const Otf2Record& other) const {
    return std::make_tuple(rank, thread, time(), what, -event.end_ns) <
           std::make_tuple(other.rank, other.thread, other.time(), other.what, -other.event.end_ns);
  }
};

// What all locations refer to.
class Otf2Names {
 public:
  Otf2Names(Job& job, Otf2Archive& archive);

  Otf2Archive& archive() { return archive_; }
  OTF2_RegionRef region(const TraceFile& file, EventKind kind);
  OTF2_MetricRef metric(const TraceFile& file, EventKind kind);
  OTF2_RmaWinRef segment(SegmentId id);
  OTF2_RmaWinRef group(std::uint32_t tag);
  // A rank's place in the group; OTF2_UNDEFINED_UINT32: it is no member.
  std::uint32_t member(std::uint32_t tag, Rank rank) const;
  OTF2_RmaWinRef messages();

  struct Attributes {
    OTF2_AttributeRef segment, notification, value, queue, peer, outcome;
  };
  const Attributes& attributes() const { return attributes_; }

 private:
  struct Group {
    std::vector<Rank> ranks;
    OTF2_CommRef communicator;
  };

  Otf2Archive& archive_;
  const OTF2_CommRef world_;
  std::map<std::uint32_t, Group> groups_;  // by tag; those of all ranks are not here
  Attributes attributes_;
};

class Otf2Location {
 public:
  Otf2Location(Otf2Names& names, const TraceFile& file, OTF2_EvtWriter* writer)
      : names_(names), file_(file), writer_(writer) {}

  // In the order of the records.
  void add(const Otf2Record& record);
  // Leaves what is still open.
  void finish();

 private:
  struct Open {
    Event event;
    EventKind like;
    OTF2_RegionRef region;
    std::uint64_t id;  // of its one-sided operation; 0: none
    OTF2_RmaWinRef window;
  };

  void enter(Event event);
  void leave();
  void leave_until(std::int64_t time_ns, bool also_then);
  void begin_operation(Open& open);
  void end_operation(const Open& open);
  void end_collective(const Event& event, EventKind like);
  void complete(std::uint16_t queue, std::int64_t time_ns);
  void instant(const Event& event);
  void describe(const Event& event);
  void check(OTF2_ErrorCode code) const;
  std::uint64_t at(std::int64_t time_ns);

  Otf2Names& names_;
  const TraceFile& file_;
  OTF2_EvtWriter* const writer_;
  std::vector<Open> open_;
  std::int64_t last_ns_ = 0;
  std::uint64_t operations_ = 0;
  struct Posted {
    OTF2_RmaWinRef window;
    std::uint64_t id;
  };
  std::map<std::uint16_t, std::deque<Posted>> posted_;  // by queue; until somebody waits for it
};

}  // namespace polder::trace
