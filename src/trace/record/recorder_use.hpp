// The process's recorder in the hands of a thread: calls of doors may come back, from other threads, while the runtime
// whose recorder it is ends.
#pragma once

#include "trace/record/recorder.hpp"

#include <atomic>

namespace polder::trace {

// The recorder that door_recorder names, which does not go while this lives; null if there is none, or if it is another
// than the one that is asked for. To be held for moments: withdraw() waits for it. Costs two stores and two loads; the
// first use by a thread allocates.
class RecorderUse {
 public:
  explicit RecorderUse(const Recorder* wanted = nullptr);
  ~RecorderUse();
  RecorderUse(const RecorderUse&) = delete;
  RecorderUse& operator=(const RecorderUse&) = delete;

  explicit operator bool() const { return recorder_ != nullptr; }
  Recorder* operator->() const { return recorder_; }
  Recorder* get() const { return recorder_; }

 private:
  Recorder* recorder_ = nullptr;
  const Recorder* before_;  // of what a handler of signals has interrupted
};

// After door_recorder names it no more: returns when nobody uses `recorder`.
void wait_for_users(const Recorder& recorder);

}  // namespace polder::trace
