// A file that appears as a whole: what is written goes to a name beside it that nothing has, FILE.part or FILE.part2 and so on,
// which takes the name at the end or goes away. It has the permissions of a file that it replaces, and its owner and group where
// this process may give them.
//
// A symbolic link stays, and what it names is written, be it there or not. What is there and no regular file (a pipe, a device) is
// written as it goes.
#pragma once

#include <polder/status.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace polder::trace {

class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) drain();
  }
  void write(std::int64_t number) { write(std::to_string(number)); }
  void flush() { drain(); }

  // The first error, or success and what was written is on the disk, if it goes to one.
  Status sync();
  // The first error, or success and all is written, but not under its name yet: for files that belong together.
  Status finish();
  // The first error, or success and the file is there.
  Status close();

 private:
  static constexpr std::size_t kBufferBytes = 1 << 18;

  void open_part();
  void drain();
  void fail(const char* what);

  const std::string name_;    // as the user says it
  const std::string target_;  // the file that the name stands for
  std::string part_;          // empty: written as it goes
  std::FILE* file_ = nullptr;
  bool is_finished_ = false;  // written, and still under the name of the part
  std::string buffer_;
  Status failure_;
};

// Names beside `path`, to be tried one after the other, from 1: PATH.part, PATH.part2, ...
std::string part_name(const std::string& path, int number);

}  // namespace polder::trace
