// One thing that happened on a rank, as it lies in the ring and in the file: 48 bytes, no pointers.
//
// Wide enough for every format that traces are converted to: times and thread give the states of Paraver and the slices of Perfetto,
// peer and bytes the communication records, kind and value the user events.
#pragma once

#include "trace/format/kind.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <type_traits>

namespace polder::trace {

enum class Phase : std::uint8_t {
  span,     // begin_ns .. end_ns, nested in the other spans of its thread
  mark,     // an instant: end_ns equals begin_ns
  async,    // begin_ns .. end_ns, may overlap anything: a collective that is resumed between other calls
  counter,  // a level at begin_ns: `bytes` is the value
};

inline constexpr Rank kNoPeer = ~Rank{0};
inline constexpr SegmentId kNoSegment = ~SegmentId{0};
inline constexpr NotificationId kNoNotification = ~NotificationId{0};
inline constexpr std::uint16_t kNoQueue = 0xffff;

// What is known of an operation besides its time. Leave out what does not apply.
struct Details {
  Rank peer = kNoPeer;
  SegmentId segment = kNoSegment;
  std::uint64_t bytes = 0;
  std::uint16_t queue = kNoQueue;
  NotificationId notification = kNoNotification;
  NotificationValue value = 0;
};

struct Event {
  // Ticks of the recorder's clock in the file (ClockSource); nanoseconds once a reader has them.
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t bytes = 0;
  Rank peer = kNoPeer;
  SegmentId segment = kNoSegment;
  NotificationId notification = kNoNotification;
  NotificationValue value = 0;
  EventKind kind = EventKind::none;
  std::uint16_t thread = 0;  // set by the recorder: 0, 1, 2, ... in the order of each thread's first event
  std::uint16_t queue = kNoQueue;
  Phase phase = Phase::span;
  Code outcome = Code::ok;
};

static_assert(sizeof(Event) == 48 && std::is_trivially_copyable_v<Event>, "events are written to files as they are");

constexpr Event make_event(EventKind kind, Phase phase, std::int64_t begin_ns, std::int64_t end_ns,
                           const Details& details, Code outcome = Code::ok) {
  return {.begin_ns = begin_ns,
          .end_ns = end_ns,
          .bytes = details.bytes,
          .peer = details.peer,
          .segment = details.segment,
          .notification = details.notification,
          .value = details.value,
          .kind = kind,
          .thread = 0,
          .queue = details.queue,
          .phase = phase,
          .outcome = outcome};
}

}  // namespace polder::trace
