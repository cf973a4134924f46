// Writes whole lines to a descriptor that many processes may share, and never blocks on a reader that is slow.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace polder::cli {

class LineSink {
 public:
  // `file` stays the caller's.
  explicit LineSink(int file) : file_(file) {}

  int file() const { return file_; }

  // Queues `prefix`, `line` and a line end.
  void add(std::string_view prefix, std::string_view line);

  // Writes what fits now. Lines of up to 4 kB (PIPE_BUF) are written in one piece each, so nobody else's text gets into
  // them; the rest of a longer one waits for room, and all other lines of this sink behind it.
  void flush();

  // Waits for the reader until all is written, or he has taken nothing for so long (-1: however long); then the rest is
  // dropped.
  void flush_all(int milliseconds);

  bool empty() const { return done_ == pending_.size(); }

  // True once nobody reads any more; from then on everything is dropped.
  bool broken() const { return broken_; }

 private:
  std::size_t next_piece() const;
  bool write_piece();
  bool wait_for_room(int milliseconds) const;
  void drop();

  int file_;
  std::string pending_;
  std::size_t done_ = 0;  // bytes of it that are written
  bool broken_ = false;
};

}  // namespace polder::cli
