// Shows snapshots one after the other: on a terminal in place, elsewhere as lines, when they say something new.
#pragma once

#include "live/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace polder::cli {

class Screen {
 public:
  // `file` stays the caller's. `prefix`: of each line that is no terminal's; behind it come the seconds since this
  // screen was made: `polder run` makes it before its ranks, so that none waits for longer.
  Screen(int file, std::string prefix);

  bool is_terminal() const { return terminal_; }
  // Shows nothing this time where the reader has no room for it.
  void show(const Snapshot& snapshot);
  // Takes away what a terminal shows, so that others can write there.
  void clear();

 private:
  void redraw(const Snapshot& snapshot);
  void append(const Snapshot& snapshot);
  bool has_room() const;
  void write_all(const std::string& text) const;

  const std::int64_t begun_ns_;  // of the clock of snapshots
  const int file_;
  const std::string prefix_;
  const bool terminal_;
  std::size_t drawn_ = 0;  // lines
  std::vector<std::string> said_;
  std::int64_t said_at_ns_ = 0;
};

}  // namespace polder::cli
