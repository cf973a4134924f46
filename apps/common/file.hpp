// Files read and written at given places by several ranks or threads at once. Messages name the file.
#pragma once

#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace apps {

using polder::Code;
using polder::Result;
using polder::Status;

// "cannot `verb` 'path': No such file or directory", from errno; Code::exists if there is such a file already.
Status file_error(const std::string& verb, const std::string& path);

// An open file; closes itself. Reading and writing at different places is safe from several threads.
class File {
 public:
  File() = default;
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
  File& operator=(File&& other) noexcept;
  ~File();

  // For reading. A directory, a pipe or a device is refused: only a regular file has bytes at places.
  static Result<File> open(const std::string& path);
  // For writing at places, the file being there.
  static Result<File> open_to_write(const std::string& path);
  // For writing, a file that nobody has yet; Code::exists if there is one. `mode`: permissions, less what the umask takes.
  static Result<File> create(const std::string& path, unsigned mode = 0666);

  const std::string& path() const { return path_; }

  Result<std::uint64_t> size() const;

  // Whether it is this file that `path` names.
  bool is_at(const std::string& path) const;

  // Reads exactly to.size() bytes from byte `offset` on; a file that ends before is an error.
  Status read_at(std::uint64_t offset, std::span<std::byte> to) const;
  Status write_at(std::uint64_t offset, std::span<const std::byte> from) const;

  // Hints to the kernel: this range is wanted soon, or the whole file will be read in order.
  void want(std::uint64_t offset, std::uint64_t bytes) const;
  void read_in_order() const;

  // Sets the size and reserves the blocks, so that a full disk is noticed now. Where the file system cannot reserve,
  // or does it by writing (tmpfs), only the size is set, and a disk that fills up later is noticed by write_at.
  Status reserve(std::uint64_t bytes) const;

  // Hears now what would be heard when the file is closed: file systems of a network may tell only then that the disk or a quota
  // is full. The file stays open.
  Status settle() const;

  // Waits until the data is on the disk.
  Status sync() const;

 private:
  File(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_ = -1;
  std::string path_;
};

}  // namespace apps
