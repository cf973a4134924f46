// The call of a door that this thread is in. A door's call is recorded once, by the door; calls of the library that it
// is made of add what they know instead of being recorded beside it.
#pragma once

#include "trace/format/event.hpp"

namespace polder::trace {

struct OpenCall {
  Details details;

  // What the door did not know.
  void add(const Details& more) {
    if (details.peer == kNoPeer) details.peer = more.peer;
    if (details.segment == kNoSegment) details.segment = more.segment;
    if (details.bytes == 0) details.bytes = more.bytes;
    if (details.queue == kNoQueue) details.queue = more.queue;
    if (details.notification == kNoNotification) details.notification = more.notification;
    if (details.value == 0) details.value = more.value;
  }
};

[[gnu::tls_model("initial-exec")]] extern constinit thread_local OpenCall* open_call;  // null: none

}  // namespace polder::trace
