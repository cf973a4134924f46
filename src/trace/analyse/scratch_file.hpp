// A file without a name for what does not fit into memory: in $TMPDIR, else in /tmp. It is gone when its owner is, however
// that ends.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace polder::trace {

class ScratchFile {
 public:
  // At the end. Throws std::runtime_error, which names the folder.
  void append(const void* data, std::size_t bytes) {
    if (file_ == nullptr) open();
    if (std::fseek(file_.get(), 0, SEEK_END) != 0 || std::fwrite(data, 1, bytes, file_.get()) != bytes ||
        std::fflush(file_.get()) != 0)
      throw std::runtime_error("a temporary file for sorting cannot be written in " + folder() +
                               " (full? TMPDIR=DIR takes another)");
    bytes_ += bytes;
  }
  // Throws std::runtime_error where there are not as many.
  void read(std::uint64_t from, void* data, std::size_t bytes) const {
    if (file_ == nullptr || std::fseek(file_.get(), long(from), SEEK_SET) != 0 ||
        std::fread(data, 1, bytes, file_.get()) != bytes)
      throw std::runtime_error("a temporary file for sorting cannot be read in " + folder());
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  static std::string folder() {
    const char* wanted = std::getenv("TMPDIR");
    return wanted != nullptr && *wanted != 0 ? wanted : "/tmp";
  }
  void open() {
    std::string name = folder() + "/polder-trace-XXXXXX";
    const int fd = ::mkstemp(name.data());
    if (fd < 0) throw std::runtime_error("a temporary file for sorting cannot be made in " + folder());
    ::unlink(name.c_str());
    file_.reset(::fdopen(fd, "w+b"));
    if (file_ != nullptr) return;
    ::close(fd);
    throw std::runtime_error("a temporary file for sorting cannot be opened");
  }

  std::unique_ptr<std::FILE, Closer> file_;
  std::uint64_t bytes_ = 0;
};

}  // namespace polder::trace
