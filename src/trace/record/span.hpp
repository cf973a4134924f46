// How code says that it is doing something:
//
//   trace::Span span(recorder, EventKind::put, {.peer = target, .bytes = size});
//
// With a null recorder that is one predictable branch here and one at the end of the scope; no clock is read and
// nothing is stored. With one it costs two readings of the clock and a store of 48 bytes into the thread's ring. A call
// inside a call costs no reading and is not recorded: it hands its details to the outer one.
#pragma once

#include "trace/record/open_call.hpp"
#include "trace/record/recorder.hpp"
#include "util/platform.hpp"

#include <utility>

namespace polder::trace {

class Span {
 public:
  // `recorder` may be null: tracing is off. Otherwise it outlives the span.
  POLDER_ALWAYS_INLINE Span(Recorder* recorder, EventKind kind, const Details& details = {})
      : recorder_(recorder), kind_(kind), details_(details) {
    if (recorder_ != nullptr) [[unlikely]]
      begin();
  }

  // The members are handed over by value, all of them: a span whose address is never taken lives in registers, if at
  // all. (A reference to the details cost each call ten stores.)
  POLDER_ALWAYS_INLINE ~Span() {
    if (recorder_ != nullptr) [[unlikely]]
      end(recorder_, around_, begin_, kind_, details_, outcome_);
  }

  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  // What is known only later, such as the notification that ended a wait.
  Details& details() { return details_; }
  void set_outcome(Code outcome) { outcome_ = outcome; }
  // Passes `status` on: `return span.outcome(...)`.
  Status outcome(Status status) {
    if (recorder_ != nullptr) [[unlikely]]
      outcome_ = status.code();
    return status;
  }
  template <class T>
  Result<T> outcome(Result<T> result) {
    if (recorder_ != nullptr) [[unlikely]]
      outcome_ = result.status().code();
    return result;
  }

 private:
  POLDER_ALWAYS_INLINE void begin() {
    around_ = open_call;
    if (is_call(kind_)) {
      if (around_ != nullptr) return;
      if (recorder_->knows_calls()) open_call = &library_call;
    }
    begin_ = recorder_->now();
    if (kind_ == EventKind::handler) open_call = nullptr;  // what the handler calls is its own
  }

  static void end(Recorder* recorder, OpenCall* around, std::int64_t begin, EventKind kind, Details details,
                  Code outcome) {
    if (is_call(kind) && around != nullptr) return around->add(details);
    if (kind == EventKind::handler || is_call(kind)) open_call = around;
    recorder->record(make_event(kind, Phase::span, begin, recorder->now(), details, outcome));
  }

  Recorder* recorder_;
  OpenCall* around_ = nullptr;
  EventKind kind_;
  Code outcome_ = Code::ok;
  Details details_;
  std::int64_t begin_ = 0;
};

// An instant.
POLDER_ALWAYS_INLINE void mark(Recorder* recorder, EventKind kind, const Details& details = {}) {
  if (recorder == nullptr) [[likely]]
    return;
  const std::int64_t now = recorder->now();
  recorder->record(make_event(kind, Phase::mark, now, now, details));
}

// A level that changes over time: messages in flight, bytes in a pool.
POLDER_ALWAYS_INLINE void count(Recorder* recorder, EventKind kind, std::uint64_t level) {
  if (recorder == nullptr) [[likely]]
    return;
  const std::int64_t now = recorder->now();
  recorder->record(make_event(kind, Phase::counter, now, now, {.bytes = level}));
}

}  // namespace polder::trace
