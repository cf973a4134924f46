// A file that appears as a whole: what is written goes to FILE.part, which takes the name at the end or goes away.
#pragma once

#include <polder/status.hpp>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

namespace polder::trace {

class Output {
 public:
  explicit Output(std::string path) : path_(std::move(path)), part_(path_ + ".part") {
    file_ = std::fopen(part_.c_str(), "wb");
    if (file_ == nullptr) fail("write");
  }
  ~Output() {
    if (file_ == nullptr && !is_finished_) return;
    if (file_ != nullptr) std::fclose(file_);
    std::remove(part_.c_str());
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) drain();
  }
  void write(std::int64_t number) { write(std::to_string(number)); }
  void flush() { drain(); }

  // The first error, or success and all is written, but not under its name yet: for files that belong together.
  Status finish() {
    drain();
    if (file_ == nullptr) return failure_;
    if (std::fclose(file_) != 0) fail("write");
    file_ = nullptr;
    is_finished_ = true;
    return failure_;
  }
  // The first error, or success and the file is there.
  Status close() {
    if (Status status = finish(); !status.ok()) return status;
    if (!is_finished_) return failure_;
    is_finished_ = false;
    if (std::rename(part_.c_str(), path_.c_str()) == 0) return failure_;
    fail("rename");
    std::remove(part_.c_str());
    return failure_;
  }

 private:
  static constexpr std::size_t kBufferBytes = 1 << 18;

  void drain() {
    const bool ok = file_ == nullptr || std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size();
    if (!ok) fail("write");
    buffer_.clear();
  }
  void fail(const char* what) {
    if (failure_.ok())
      failure_ = Status(Code::system, std::string("trace: cannot ") + what + " " + part_ + ": " +
                                          std::generic_category().message(errno));
  }

  const std::string path_;
  const std::string part_;
  std::FILE* file_ = nullptr;
  bool is_finished_ = false;  // written, and still under the name of the part
  std::string buffer_;
  Status failure_;
};

}  // namespace polder::trace
