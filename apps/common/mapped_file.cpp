#include "common/mapped_file.hpp"

#include "common/file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace apps {

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  // Refuses what is no regular file, and says why something cannot be opened.
  const Result<File> checked = File::open(path);
  if (!checked.ok()) return checked.status();
  const Result<std::uint64_t> size = checked->size();
  if (!size.ok()) return size.status();
  MappedFile file;
  if (*size == 0) return file;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return file_error("open", path);
  void* at = ::mmap(nullptr, *size, PROT_READ, MAP_SHARED, fd, 0);
  const int error = errno;
  ::close(fd);
  errno = error;
  if (at == MAP_FAILED) return file_error("map", path);
  file.bytes_ = {static_cast<const std::byte*>(at), *size};
  return file;
}

}  // namespace apps
