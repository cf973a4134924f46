// A rank's events as records of a .prv: states that tile its rows, calls with entry and exit, parameters on both.
#pragma once

#include "trace/analyse/sorter.hpp"
#include "trace/convert/paraver_labels.hpp"
#include "trace/convert/paraver_rows.hpp"
#include "trace/read/job.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace polder::trace::paraver {

// One line, in the order of time. Text of a line is short and most of it is numbers, so it is kept as such.
struct PrvRecord {
  enum class What : std::uint8_t { state, event, communication };
  static constexpr int kMostNumbers = 12;

  std::int64_t time = 0;
  Rank rank = 0;
  std::uint16_t thread = 0;
  What what = What::event;
  std::uint8_t count = 0;  // of numbers
  std::int64_t numbers[kMostNumbers] = {};

  void add(std::int64_t number) {
    if (count < kMostNumbers) numbers[count++] = number;
  }
  void add(int type, std::int64_t value) {
    add(std::int64_t(type));
    add(value);
  }
  bool operator<(const PrvRecord& other) const { return time < other.time; }
};

std::string line_of(const PrvRecord& record);

// PrvRows of ranks that left no file, or of threads without events: running all the time. To be called at the end, when
// the end of the trace is known; also closes the last states of rows that had events.
class Tiles {
 public:
  explicit Tiles(const PrvRows& rows, Rank ranks);
  void set_end(Rank rank, std::uint16_t thread, std::int64_t time_ns) { ends_[rank][thread] = time_ns; }
  void close(std::int64_t end_ns, Sorter<PrvRecord>& records) const;

 private:
  std::vector<std::vector<std::int64_t>> ends_;
};

// Adds the records of one file to `records`. `end_ns` of the trace; it may grow by some nanoseconds, since Paraver
// overlooks calls that end when they begin and they are made a nanosecond long.
Status add_events(Job& job, const TraceFile& file, const PrvRows& rows, Labels& labels, Sorter<PrvRecord>& records,
                  Tiles& tiles, std::int64_t& end_ns);

}  // namespace polder::trace::paraver
