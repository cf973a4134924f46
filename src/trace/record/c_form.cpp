// Regions, marks and counters of C programs (polder/trace.h), which name no runtime: those of the process's first one.
#include <polder/trace.h>

#include "trace/record/process.hpp"
#include "trace/record/recorder_use.hpp"

#include <cstdint>

namespace {

using polder::trace::EventKind;
using polder::trace::Phase;
using polder::trace::RecorderUse;

EventKind kind_of_name(polder_trace_name_t name) {
  return name == 0 ? EventKind::none : kind_of(EventKind::first_user, std::uint16_t(name - 1));
}

struct OpenRegions {
  static constexpr int kDeepest = 64;
  int depth = 0;
  polder_trace_name_t names[kDeepest];
  std::int64_t begins[kDeepest];
};
constinit thread_local OpenRegions regions{};

void record_now(polder_trace_name_t name, Phase phase, std::uint64_t value) {
  const RecorderUse to;
  if (!to || name == 0) return;
  const std::int64_t now = to->now();
  to->record(make_event(kind_of_name(name), phase, now, now, {.bytes = value}));
}

}  // namespace

extern "C" {

polder_trace_name_t polder_trace_name(const char* text) {
  if (text == nullptr) return 0;
  const EventKind kind = polder::trace::name_user_kind(text);
  return kind == EventKind::none ? polder_trace_name_t{0}
                                 : polder_trace_name_t(std::uint16_t(kind) - std::uint16_t(EventKind::first_user) + 1);
}

int polder_trace_active(void) {
  const RecorderUse to;
  return to && !to->paused() ? 1 : 0;
}

void polder_trace_begin(polder_trace_name_t name) {
  const RecorderUse to;
  if (!to) return;
  if (regions.depth < OpenRegions::kDeepest) {
    regions.names[regions.depth] = name;
    const std::int64_t now = to->now();
    regions.begins[regions.depth] = now;
    polder::trace::record_hardware(*to.get(), now);
  }
  ++regions.depth;
}

void polder_trace_end(void) {
  const RecorderUse to;
  if (!to || regions.depth == 0) return;
  const int at = --regions.depth;
  if (at >= OpenRegions::kDeepest || regions.names[at] == 0) return;
  const std::int64_t now = to->now();
  polder::trace::record_hardware(*to.get(), now);
  to->record(make_event(kind_of_name(regions.names[at]), Phase::span, regions.begins[at], now, {}));
}

void polder_trace_mark(polder_trace_name_t name, uint64_t value) {
  record_now(name, Phase::mark, value);
}

void polder_trace_count(polder_trace_name_t name, uint64_t level) {
  record_now(name, Phase::counter, level);
}

void polder_trace_pause(void) {
  if (const RecorderUse to; to) to->pause();
}

void polder_trace_resume(void) {
  if (const RecorderUse to; to) to->resume();
}

void polder_trace_flush(void) {
  if (const RecorderUse to; to) (void)to->flush();
}

}  // extern "C"
