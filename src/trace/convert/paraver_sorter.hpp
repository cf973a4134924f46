// Puts the lines of a .prv in the order of their times, whatever their number: runs that are sorted in memory go to a
// scratch file, packed, and are merged when read. About ten bytes of disk a line, 100 MB of memory.
//
// An event makes three to four lines, so this is where a conversion spends its time: times are sorted by radix (their
// digits of eleven bits, last to first: one look at each line a digit, and lines of one time keep their order).
#pragma once

#include "trace/analyse/scratch_file.hpp"
#include "trace/convert/paraver_record.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace polder::trace::paraver {

class PrvSorter {
 public:
  static constexpr std::size_t kRunLines = 1 << 21;

  // `lines` are sorted in memory.
  explicit PrvSorter(std::size_t lines = kRunLines);

  // Times are not negative. Throws std::runtime_error where the scratch file cannot be written.
  void push(const PrvRecord& record);

  // Once. In order of time; what is of one time, in the order in which it was pushed.
  void for_each(const std::function<void(const PrvRecord&)>& visit);

 private:
  struct Line {
    std::int64_t time = 0;
    std::uint64_t at = 0;  // in bytes_
  };
  class Run;

  void sort_lines();
  void spill();
  void merge(const std::function<void(const PrvRecord&)>& visit);

  const std::size_t limit_;
  std::string bytes_;
  std::vector<Line> lines_, other_;
  std::vector<std::uint64_t> ends_;  // of the runs in the file
  ScratchFile file_;
};

}  // namespace polder::trace::paraver
