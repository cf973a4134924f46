#include "trace/record/file_writer.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace polder::trace {

namespace {

Status file_error(const std::string& what, const std::string& path, int error) {
  return Status(Code::system, "trace: " + what + " " + path + ": " + std::generic_category().message(error));
}

// One writev in all normal cases; goes on after a signal or a short write. False, with errno set, if the rest cannot be
// written.
bool write_fully(int fd, std::array<iovec, 2> parts) {
  std::size_t first = 0;
  while (first < parts.size()) {
    const ssize_t wrote = ::writev(fd, &parts[first], int(parts.size() - first));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    std::size_t rest = std::size_t(wrote);
    while (first < parts.size() && rest >= parts[first].iov_len) rest -= parts[first++].iov_len;
    if (first == parts.size()) return true;
    parts[first].iov_base = static_cast<std::byte*>(parts[first].iov_base) + rest;
    parts[first].iov_len -= rest;
  }
  return true;
}

iovec part(const void* data, std::size_t size) {
  return {const_cast<void*>(data), size};
}

}  // namespace

Status FileWriter::create(const std::string& directory, const FileHeader& header) {
  path_ = file_path(directory, header.rank);
  std::error_code error;
  std::filesystem::create_directories(directory, error);  // already there is no error
  if (error) return file_error("cannot make the directory of", path_, error.value());
  // Not truncated in place: a process that still writes to the old file (a rank left over) must not write into ours.
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) return file_error("cannot replace", path_, errno);
  file_ = util::Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
  if (!file_) return file_error("cannot create", path_, errno);
  if (!write_fully(file_.get(), {part(&header, sizeof header), part(nullptr, 0)})) {
    const Status full = fail();
    remove();
    return Status(Code::limit, std::string(full.message()));
  }
  size_ = sizeof header;
  return {};
}

Status FileWriter::append(ChunkType type, std::uint32_t count, std::span<const std::byte> payload) {
  const ChunkHeader header{.type = type, .count = count, .bytes = std::uint32_t(payload.size())};
  std::lock_guard lock(mutex_);
  if (!failure_.ok()) return failure_;
  if (!write_fully(file_.get(), {part(&header, sizeof header), part(payload.data(), payload.size())})) return fail();
  size_ += off_t(sizeof header + payload.size());
  return {};
}

void FileWriter::remove() {
  (void)::unlink(path_.c_str());
}

Status FileWriter::fail() {
  failure_ = file_error("cannot write to", path_, errno);
  // Should this fail too, the reader finds a torn chunk at the end and says so.
  if (::ftruncate(file_.get(), size_) != 0)
    failure_ = Status(Code::system, std::string(failure_.message()) + " (file torn)");
  return failure_;
}

}  // namespace polder::trace
