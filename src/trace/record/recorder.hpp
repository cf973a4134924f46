// Keeps the events of one rank: a ring per thread, one file for all of them.
//
// A runtime owns one recorder, or none. Threads need not be announced: a thread's first event gives it a ring, and its
// end hands the ring, with what is still in it, to the recorder for the next thread. A thread of the recorder's own
// writes what the rings hold, when one is half full and five times a second; what a rank that is killed loses is what
// its rings hold. Should the writer find no time, a thread whose ring is full writes it itself rather than lose events.
#pragma once

#include "trace/format/event.hpp"
#include "trace/format/file.hpp"
#include "trace/record/selection.hpp"
#include "trace/record/ticks.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace polder::trace {

struct RecorderOptions {
  std::string directory;  // made if missing; an older file of this rank is replaced
  Rank rank = 0;
  Rank size = 1;
  std::uint64_t job = 0;  // files of different jobs are never merged
  std::string host;
  std::uint32_t cores = 0;
  std::uint32_t local_ranks = 0;
  std::uint32_t ring_events = 32768;       // per thread, 48 bytes each; at least 2
  std::uint64_t file_limit = UINT64_MAX;   // bytes; then events are counted and no longer kept
  std::uint64_t memory_limit = 256 << 20;  // bytes of all rings; a thread too many is not recorded, but counted
  bool writer = true;                      // false: rings are written when they are full, by their threads
  EventSelection selection = {};
  bool tells_unknown_words = true;  // of the selection, when it closes; one rank of a job is enough
  util::Clock clock = {};           // by which events are told
  ClockFault clock_fault = {};      // of it
};

class RecorderState;

class Recorder {
 public:
  // The calling thread is the first of the trace, whoever records first. limit: the disk is full; no file is left, and the
  // program may go on without a trace. system: the directory or the file cannot be made; the message names it.
  // invalid_argument: options make no sense.
  static Result<std::unique_ptr<Recorder>> open(const RecorderOptions& options);

  // Closes. What went wrong on the way is logged, unless close() was called and has told.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Takes an event, whose times are ticks; `thread` is filled in. Any thread, also while close() runs; not after the
  // recorder is gone. Takes no lock, allocates nothing and makes no system call, unless half of a ring is full: then it
  // wakes the writer.
  void record(const Event& event);

  // A span that is known only now, from times of the recorder's util::Clock.
  void record_past(EventKind kind, std::int64_t begin_ns, std::int64_t end_ns, const Details& details,
                   Code outcome = Code::ok);

  // Writes the names of a module's kinds into the file. Any thread, any time before close(). invalid_argument: a name
  // is empty or longer than 255 bytes.
  Status name_kinds(std::span<const KindName> names);

  // What this thread is called in the trace; without it the name that the operating system knows.
  void name_thread(std::string_view name);

  // The members of a group, by the tag with which its collectives are recorded.
  void define_group(std::uint32_t tag, std::span<const Rank> members);

  // How a peer's clock was found to stand.
  void note_sync(std::span<const SyncRecord> records);

  // Nothing is recorded between the two, in any thread, but that recording was off. A pause that nothing ends lasts until
  // close().
  void pause();
  void resume();
  bool paused() const { return paused_.load(std::memory_order_relaxed); }

  // Writes out what the rings of all threads hold now, e.g. before an abort, and what has not been recorded so far: outside
  // of the window, or in a pause that lasts. Any thread. system: the disk is full or the like.
  Status flush();

  // Flushes, and notes that this rank came to a good end. Events that come later are dropped. Idempotent.
  Status close();

  const std::string& path() const;
  Omissions omitted() const;

  POLDER_ALWAYS_INLINE std::int64_t now() const { return ticks_.now(); }
  const Ticks& ticks() const { return ticks_; }
  // Whether what a thread does within a call is of that call: not where the ranks of a simulation share a thread.
  bool knows_calls() const { return knows_calls_; }

 private:
  Recorder(std::shared_ptr<RecorderState> state, const RecorderOptions& options, Ticks ticks)
      : state_(std::move(state)),
        ticks_(std::move(ticks)),
        selection_(options.selection),
        selects_(!options.selection.all()),
        tells_unknown_words_(options.tells_unknown_words),
        knows_calls_(options.clock.simulated() == nullptr),
        window_told_(ticks_.now()) {}
  void take(const Event& event);
  void tell_so_far();
  void tell_unknown_words() const;
  void tell_pause(std::int64_t until);
  void tell_window(std::int64_t until);
  void tell_off(std::int64_t from, std::int64_t to);

  // Owned here alone: threads remember it weakly, and learn from that whether their ring still exists.
  std::shared_ptr<RecorderState> state_;
  const Ticks ticks_;
  EventSelection selection_;
  const bool selects_;
  const bool tells_unknown_words_;
  const bool knows_calls_;
  std::atomic<bool> paused_{false};
  std::atomic<bool> closed_{false};

  std::mutex off_mutex_;        // for the members below, and for changes of paused_
  std::int64_t off_since_ = 0;  // of a pause that lasts: what came before has been told
  std::int64_t window_told_;    // what was outside of the window has been told until then
};

}  // namespace polder::trace
