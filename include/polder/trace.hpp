// Regions, marks and counters of a program in Polder's traces.
//
//   const polder::TraceName solve("solve");             // once, anywhere
//   auto trace = polder::Trace::of(runtime);            // cheap to copy
//   {
//     polder::TraceRegion region(trace, solve);         // until the end of the scope
//     ...
//   }
//   trace.mark(converged, iteration);
//   trace.count(pool_bytes, pool.used());
//
// A trace is written where POLDER_TRACE names a folder (polder run --trace DIR). Without one a region costs two
// predictable branches. Any thread may call; nothing here waits (flush() for the disk) or fails.
//
// trace.h is the same in C, for the process's first runtime.
#pragma once

#include <polder/trace.h>
#include <polder/export.hpp>

#include <atomic>
#include <cstdint>

namespace polder {

class Runtime;

namespace trace {
class Recorder;
}

// A name, and its number in this process: the same for the same text. 0 for a text that is none (polder_trace_name());
// what is recorded under it is left out.
class TraceName {
 public:
  explicit TraceName(const char* text) : number_(polder_trace_name(text)) {}
  std::uint16_t number() const { return number_; }

 private:
  std::uint16_t number_;
};

// Where a runtime's events go; it must outlive this. One of a runtime that is not traced is inactive.
class POLDER_API Trace {
 public:
  static Trace of(Runtime& runtime);  // cheap

  bool active() const { return recorder_ != nullptr; }
  void mark(TraceName name, std::uint64_t value = 0) const {  // an instant, and a value to show
    if (active()) [[unlikely]]
      record_mark(name, value);
  }
  void count(TraceName name, std::uint64_t level) const {  // what a counter has from now on
    if (active()) [[unlikely]]
      record_count(name, level);
  }
  void pause() const;  // until resume(), or the end, nothing is recorded, in any thread of the rank
  void resume() const;
  void flush() const;  // writes out what is in memory

 private:
  friend class TraceRegion;
  explicit Trace(trace::Recorder* recorder) : recorder_(recorder) {}
  void record_mark(TraceName name, std::uint64_t value) const;
  void record_count(TraceName name, std::uint64_t level) const;

  trace::Recorder* recorder_;
};

class POLDER_API TraceRegion {  // one of its thread, from here to the end of the scope; they may nest
 public:
  TraceRegion(const Trace& trace, TraceName name) : recorder_(trace.recorder_), name_(name) {
    if (recorder_ != nullptr) [[unlikely]]
      begin();
  }
  ~TraceRegion() {
    if (recorder_ != nullptr) [[unlikely]]
      end();
  }
  TraceRegion(const TraceRegion&) = delete;
  TraceRegion& operator=(const TraceRegion&) = delete;

 private:
  void begin();
  void end();

  trace::Recorder* const recorder_;
  const TraceName name_;
  std::int64_t begin_ = 0;
};

}  // namespace polder
