// What a program records itself: regions, marks and counters of a runtime.
#include "core/engine/engine.hpp"
#include "trace/record/process.hpp"
#include "trace/record/recorder.hpp"

#include <polder/runtime.hpp>
#include <polder/trace.hpp>

namespace polder {
namespace {

// 0: a text that is no name, under which nothing is recorded.
bool is_name(TraceName name) {
  return name.number() != 0;
}

trace::EventKind kind_of(TraceName name) {
  return trace::kind_of(trace::EventKind::first_user, std::uint16_t(name.number() - 1));
}

void record_now(trace::Recorder& recorder, TraceName name, trace::Phase phase, std::uint64_t value) {
  if (!is_name(name)) return;
  const std::int64_t now = recorder.now();
  recorder.record(trace::make_event(kind_of(name), phase, now, now, {.bytes = value}));
}

}  // namespace

Trace Trace::of(Runtime& runtime) {
  return Trace(runtime.engine().recorder());
}

void Trace::record_mark(TraceName name, std::uint64_t value) const {
  record_now(*recorder_, name, trace::Phase::mark, value);
}

void Trace::record_count(TraceName name, std::uint64_t level) const {
  record_now(*recorder_, name, trace::Phase::counter, level);
}

void Trace::pause() const {
  if (active()) recorder_->pause();
}

void Trace::resume() const {
  if (active()) recorder_->resume();
}

void Trace::flush() const {
  if (active()) (void)recorder_->flush();
}

void TraceRegion::begin() {
  if (!is_name(name_)) return;
  begin_ = recorder_->now();
  trace::record_hardware(*recorder_, begin_);
}

void TraceRegion::end() {
  if (!is_name(name_)) return;
  const std::int64_t now = recorder_->now();
  trace::record_hardware(*recorder_, now);
  recorder_->record(trace::make_event(kind_of(name_), trace::Phase::span, begin_, now, {}));
}

}  // namespace polder
