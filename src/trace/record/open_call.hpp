// The call of a door that this thread is in. A door's call is recorded once, by the door; calls of the library that it
// is made of add what they know instead of being recorded beside it.
#pragma once

#include "trace/format/event.hpp"

namespace polder::trace {

struct OpenCall {
  Details details;

  // What `more` knows.
  void add(const Details& more) {
    if (more.peer != kNoPeer) details.peer = more.peer;
    if (more.segment != kNoSegment) details.segment = more.segment;
    if (more.bytes != 0) details.bytes = more.bytes;
    if (more.queue != kNoQueue) details.queue = more.queue;
    if (more.notification != kNoNotification) details.notification = more.notification;
    if (more.value != 0) details.value = more.value;
  }
};

[[gnu::tls_model("initial-exec")]] extern constinit thread_local OpenCall* open_call;  // null: none
// Stands there during a call of the library itself, which knows all about itself.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local OpenCall library_call;

}  // namespace polder::trace
