// Keeps the events of one rank: a ring per thread, one file for all of them.
//
// A runtime owns one recorder, or none. Threads need not be announced: a thread's first event gives it a ring, and its
// end hands the ring, with what is still in it, to the recorder for the next thread. A full ring is written to the file
// by the thread that filled it. What a rank that dies loses is what its rings hold.
#pragma once

#include "trace/event.hpp"
#include "util/clock.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace polder::trace {

struct RecorderOptions {
  std::string directory;  // made if missing; an older file of this rank is replaced
  Rank rank = 0;
  Rank size = 1;
  std::uint64_t job = 0;  // files of different jobs are never merged
  std::string host;
  std::uint32_t ring_events = 8192;  // per thread, 48 bytes each; at least 2
  util::Clock clock = {};            // by which events are told
};

class RecorderState;

class Recorder {
 public:
  // system: the directory or the file cannot be made; the message names it. invalid_argument: options make no sense.
  static Result<std::unique_ptr<Recorder>> open(const RecorderOptions& options);

  // Closes. What went wrong on the way is logged, unless close() was called and has told.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Takes an event; `thread` is filled in. Any thread, also while close() runs; not after the recorder is gone. Takes
  // no lock and makes no system call unless the ring is full.
  void record(const Event& event);

  // Writes the names of a module's kinds into the file. Any thread, any time before close(). invalid_argument: a name
  // is empty or longer than 255 bytes.
  Status name_kinds(std::span<const KindName> names);

  // What this thread is called in the trace; without it the name that the operating system knows.
  void name_thread(std::string_view name);

  // Writes out what the rings of all threads hold now, e.g. before an abort. Any thread. system: the disk is full or
  // the like.
  Status flush();

  // Flushes, and notes that this rank came to a good end. Events that come later are dropped. Idempotent.
  Status close();

  const std::string& path() const;

  std::int64_t now_ns() const { return clock_.now_ns(); }

 private:
  Recorder(std::shared_ptr<RecorderState> state, util::Clock clock) : state_(std::move(state)), clock_(clock) {}

  // Owned here alone: threads remember it weakly, and learn from that whether their ring still exists.
  std::shared_ptr<RecorderState> state_;
  const util::Clock clock_;
  std::atomic<bool> closed_{false};
};

}  // namespace polder::trace
