// A file as memory, for whoever reads it in an order of its own.
#pragma once

#include <polder/status.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace apps {

using polder::Code;
using polder::Result;
using polder::Status;

// Read only. Pages come when they are touched and belong to the system's cache, not to this process. A file that others
// make shorter meanwhile ends the process (SIGBUS), as every mapping does.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  // Regular files only; an empty one is no memory.
  static Result<MappedFile> open(const std::string& path);

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace apps
