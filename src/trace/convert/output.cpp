#include "trace/convert/output.hpp"

#include "util/replaced_file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace polder::trace {
namespace {

namespace fs = std::filesystem;

constexpr int kMostParts = 1000;  // whoever leaves more of them behind is to look at them

// A pipe, a device, or a file that has lost its name and is reached by way of a descriptor: nothing can take its place.
bool is_written_as_it_goes(const fs::path& path, const fs::path& target) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) return fs::is_symlink(fs::symlink_status(target, ignored));  // links in a circle: that fails
  return !fs::is_regular_file(status) || !fs::equivalent(path, target, ignored);
}

// For writing, where nothing has that name. Null: something has, or errno says why not.
std::FILE* make(const std::string& path, mode_t mode) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  return fd < 0 ? nullptr : ::fdopen(fd, "wb");
}

}  // namespace

std::string part_name(const std::string& path, int number) {
  return path + ".part" + (number == 1 ? "" : std::to_string(number));
}

Output::Output(const std::string& path) : name_(path), target_(util::target_of_links(path)) {
  if (is_written_as_it_goes(name_, target_))
    file_ = std::fopen(name_.c_str(), "wb");
  else
    open_part();
  if (file_ == nullptr) fail("write");
}

// What has such a name is somebody's, who may be writing it just now.
void Output::open_part() {
  errno = EEXIST;
  for (int number = 1; file_ == nullptr && errno == EEXIST && number <= kMostParts; ++number) {
    part_ = part_name(target_, number);
    file_ = make(part_, util::mode_of_successor(target_));
  }
}

Output::~Output() {
  if (file_ == nullptr && !is_finished_) return;
  if (file_ != nullptr) std::fclose(file_);
  if (!part_.empty()) std::remove(part_.c_str());
}

// A pipe or a device that nothing can be kept of refuses.
Status Output::sync() {
  drain();
  if (file_ == nullptr) return failure_;
  const bool kept = std::fflush(file_) == 0 && (::fsync(::fileno(file_)) == 0 || errno == EINVAL || errno == ENOTSUP);
  if (!kept) fail("write");
  return failure_;
}

Status Output::finish() {
  drain();
  if (file_ == nullptr) return failure_;
  if (std::fclose(file_) != 0) fail("write");
  file_ = nullptr;
  is_finished_ = true;
  return failure_;
}

Status Output::close() {
  if (Status status = finish(); !status.ok()) return status;
  if (!is_finished_) return failure_;
  is_finished_ = false;
  if (part_.empty()) return failure_;
  util::take_over_access(part_, target_);
  if (std::rename(part_.c_str(), target_.c_str()) == 0) return failure_;
  fail("rename to");
  std::remove(part_.c_str());
  return failure_;
}

void Output::drain() {
  const bool ok = file_ == nullptr || std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size();
  if (!ok) fail("write");
  buffer_.clear();
}

void Output::fail(const char* what) {
  if (failure_.ok())
    failure_ = Status(Code::system,
                      std::string("cannot ") + what + " " + name_ + ": " + std::generic_category().message(errno));
}

}  // namespace polder::trace
