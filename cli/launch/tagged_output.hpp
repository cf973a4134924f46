// What ranks print, line by line, with --tag-output each behind the "[rank] " that it came from, and what the launcher says.
#pragma once

#include "launch/event_loop.hpp"
#include "launch/line_sink.hpp"
#include "util/fd.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>

namespace polder::cli {

// Standard output and standard error stay apart. A line is shown when it is complete; the rest of a rank that ends
// within one gets its line end here. Lines over 1 MiB are cut.
class TaggedOutput {
 public:
  // Both must outlive this object, the loop's handlers refer to it.
  // `before` is called before anything is shown.
  TaggedOutput(EventLoop& loop, bool tag, std::function<void()> before);
  TaggedOutput(const TaggedOutput&) = delete;
  TaggedOutput& operator=(const TaggedOutput&) = delete;

  struct WriteEnds {
    util::Fd out;
    util::Fd error;
  };
  // Pipes for `rank`; the caller gives the write ends to the process and closes them.
  Result<WriteEnds> open(Rank rank);

  // A sentence of the launcher, on standard error. Never waits: what the reader does not take now is shown when he does.
  void say(const std::string& sentence);

  bool is_behind() const { return !held_.empty(); }

  // Shows what is left once all writers have ended, as LineSink::flush_all().
  void finish(int milliseconds);

 private:
  struct Stream {
    util::Fd pipe;
    std::string prefix;
    std::string partial;  // a line that has begun
    LineSink* sink;
  };

  Result<util::Fd> open_stream(const std::string& prefix, LineSink& sink);
  Status watch(Stream& stream);
  void on_readable(int pipe);
  enum class Read { some, nothing_now, end };
  Read read_some(Stream& stream);
  void close(Stream& stream);
  void hold_back(LineSink& sink);
  void resume(LineSink& sink);

  EventLoop& loop_;
  const bool tag_;
  const std::function<void()> before_;
  LineSink out_{1};
  LineSink own_error_{2};
  LineSink& error_;                // `out_` where both are one, so that nothing gets into a long line of the other
  std::set<LineSink*> held_;       // whose reader is slow
  std::map<int, Stream> streams_;  // by pipe
};

}  // namespace polder::cli
