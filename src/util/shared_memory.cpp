#include "util/shared_memory.hpp"

#include "util/assert.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace polder::util {

Status system_error(const char* operation) {
  const int error = errno;
  const Code code = error == ENOMEM || error == ENOSPC ? Code::out_of_memory : Code::system;
  return {code, std::string(operation) + ": " + std::strerror(error)};
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, size_);
}

Result<Fd> create_memory_file(const char* label, std::size_t size) {
  Fd file(memfd_create(label, MFD_CLOEXEC));
  if (!file) return system_error("memfd_create");
  if (ftruncate(file.get(), static_cast<off_t>(size)) != 0) return system_error("ftruncate of a memory file");
  return file;
}

Result<Fd> open_peer_file(pid_t pid, int fd) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", int(pid), fd);
  Fd file(open(path, O_RDWR | O_CLOEXEC));
  if (file) return file;
  if (errno == ENOENT || errno == ESRCH)
    return Status(Code::peer_failed, std::string("process ") + std::to_string(pid) + " is gone", Died::peer);
  return system_error(path);
}

Result<Mapping> map_shared(const Fd& file, std::size_t size) {
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) return system_error("mmap of shared memory");
  return Mapping(data, size);
}

Status map_shared_over(const Fd& file, std::size_t size, const Mapping& place) {
  POLDER_ASSERT(size <= place.size());
  void* data = mmap(place.data(), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.get(), 0);
  return data == MAP_FAILED ? system_error("mmap of shared memory") : Status();
}

Result<Mapping> reserve_addresses(std::size_t size) {
  void* data = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return system_error("mmap of an address range");
  return Mapping(data, size);
}

void discard_pages(const Fd& file, std::size_t size) {
  fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size));
}

}  // namespace polder::util
