// A rank's events as records of a .prv: states that tile its rows, calls with entry and exit, parameters on both.
#pragma once

#include "trace/convert/paraver_labels.hpp"
#include "trace/convert/paraver_rows.hpp"
#include "trace/convert/paraver_sorter.hpp"
#include "trace/read/job.hpp"

#include <cstdint>
#include <vector>

namespace polder::trace::paraver {

// PrvRows of ranks that left no file, or of threads without events: running all the time. To be called at the end, when
// the end of the trace is known; also closes the last states of rows that had events.
class Tiles {
 public:
  explicit Tiles(const PrvRows& rows, Rank ranks);
  void set_end(Rank rank, std::uint16_t thread, std::int64_t time_ns) { ends_[rank][thread] = time_ns; }
  void close(std::int64_t end_ns, PrvSorter& records) const;

 private:
  std::vector<std::vector<std::int64_t>> ends_;
};

// Adds the records of one file to `records`. `end_ns` of the trace; it may grow by some nanoseconds, since Paraver
// overlooks calls that end when they begin and they are made a nanosecond long.
Status add_events(Job& job, const TraceFile& file, const PrvRows& rows, Labels& labels, PrvSorter& records,
                  Tiles& tiles, std::int64_t& end_ns);

}  // namespace polder::trace::paraver
