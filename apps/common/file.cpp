#include "common/file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace apps {

Status file_error(const std::string& verb, const std::string& path) {
  const int error = errno;
  const Code code = error == EEXIST ? Code::exists : Code::system;
  return {code, "cannot " + verb + " '" + path + "': " + std::strerror(error)};
}

namespace {

// The memory file system reserves by clearing every page, one process for all; only what is free is asked there. False
// with EOPNOTSUPP: there is room, but it is not reserved.
bool reserve_blocks(int fd, std::uint64_t bytes) {
  struct statfs about {};
  if (::fstatfs(fd, &about) == 0 && about.f_type == TMPFS_MAGIC) {
    const bool limited = about.f_blocks > 0;
    errno = limited && about.f_bavail * std::uint64_t(about.f_bsize) < bytes ? ENOSPC : EOPNOTSUPP;
    return false;
  }
  // Not posix_fallocate: where the file system cannot reserve, that writes every block.
  return ::fallocate(fd, 0, 0, off_t(bytes)) == 0;
}

}  // namespace

File& File::operator=(File&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

Result<File> File::open(const std::string& path) {
  // Opening a pipe would wait for its writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return file_error("open", path);
  File file(fd, path);
  struct stat about {};
  if (::fstat(fd, &about) != 0) return file_error("look at", path);
  if (!S_ISREG(about.st_mode)) return Status(Code::invalid_argument, "'" + path + "' is not a regular file");
  return file;
}

Result<File> File::open_to_write(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return file_error("open for writing", path);
  return File(fd, path);
}

Result<File> File::create(const std::string& path, unsigned mode) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode));
  if (fd < 0) return file_error("create", path);
  return File(fd, path);
}

Result<std::uint64_t> File::size() const {
  struct stat about {};
  if (::fstat(fd_, &about) != 0) return file_error("look at", path_);
  return std::uint64_t(about.st_size);
}

bool File::is_at(const std::string& path) const {
  struct stat mine {
  }, there{};
  return ::fstat(fd_, &mine) == 0 && ::stat(path.c_str(), &there) == 0 && mine.st_dev == there.st_dev &&
         mine.st_ino == there.st_ino;
}

Status File::read_at(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t got = ::pread(fd_, to.data(), to.size(), off_t(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("read", path_);
    if (got == 0) {
      return {Code::system,
              "'" + path_ + "' ends at byte " + std::to_string(offset) + ": it has become shorter since it was opened"};
    }
    to = to.subspan(std::size_t(got));
    offset += std::uint64_t(got);
  }
  return {};
}

Status File::write_at(std::uint64_t offset, std::span<const std::byte> from) const {
  while (!from.empty()) {
    const ssize_t put = ::pwrite(fd_, from.data(), from.size(), off_t(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return file_error("write", path_);
    from = from.subspan(std::size_t(put));
    offset += std::uint64_t(put);
  }
  return {};
}

void File::want(std::uint64_t offset, std::uint64_t bytes) const {
  (void)::posix_fadvise(fd_, off_t(offset), off_t(bytes), POSIX_FADV_WILLNEED);
}

void File::read_in_order() const {
  (void)::posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

Status File::reserve(std::uint64_t bytes) const {
  if (bytes == 0) return {};
  if (reserve_blocks(fd_, bytes)) return {};
  const bool cannot = errno == EOPNOTSUPP || errno == ENOSYS;
  if (cannot && ::ftruncate(fd_, off_t(bytes)) == 0) return {};
  return file_error("reserve " + std::to_string(bytes) + " bytes for", path_);
}

// The kernel asks the file system at the end of every descriptor, a copy for one.
Status File::settle() const {
  const int copy = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0 || ::close(copy) != 0) return file_error("finish writing", path_);
  return {};
}

Status File::sync() const {
  if (::fdatasync(fd_) != 0) return file_error("flush", path_);
  return {};
}

}  // namespace apps
