// Memory that other processes of this machine can map: anonymous files in memory, reached through their owner's
// descriptor table.
//
// There is no name in any file system: the kernel frees the memory with the last process that maps it, however
// violently the owner ends, and a container's small /dev/shm does not limit it.
#pragma once

#include "util/fd.hpp"

#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>

#include <sys/types.h>

namespace polder::util {

// A range of this process's address space; unmaps itself.
class Mapping {
 public:
  Mapping() = default;
  Mapping(void* data, std::size_t size) : data_(static_cast<std::byte*>(data)), size_(size) {}
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// A fresh, zeroed memory file of `size` bytes; pages come into being when they are touched. `label` shows up in
// /proc/PID/maps. Closed on exec.
Result<Fd> create_memory_file(const char* label, std::size_t size);

// Opens descriptor `fd` of process `pid` (of the same user) anew. Fails with peer_failed once that process is gone.
Result<Fd> open_peer_file(pid_t pid, int fd);

// Maps `size` bytes of `file`, readable and writable, shared.
Result<Mapping> map_shared(const Fd& file, std::size_t size);

// Maps `size` bytes of `file` in the place of an older mapping, which is replaced in one step: a thread that still uses
// the old pages sees the new ones and never a hole. REQUIRES: size <= place.size().
Status map_shared_over(const Fd& file, std::size_t size, const Mapping& place);

// Reserves address space without memory behind it.
Result<Mapping> reserve_addresses(std::size_t size);

// Gives the pages of `file` back although others map it still; they read zeros from now on.
void discard_pages(const Fd& file, std::size_t size);

// "operation: No such file or directory", from errno.
Status system_error(const char* operation);

}  // namespace polder::util
