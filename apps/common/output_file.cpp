#include "common/output_file.hpp"

#include "common/interrupt.hpp"
#include "util/replaced_file.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace apps {
namespace {

namespace fs = std::filesystem;

// The file that a name stands for, or that it is to be: replacing a symbolic link by a file is not what people mean.
Result<std::string> resolve(const std::string& path) {
  std::error_code error;
  if (path.empty()) return Status(Code::invalid_argument, "the output needs a name");
  const std::string resolved = polder::util::target_of_links(fs::absolute(path, error).string());
  const fs::file_status status = error ? fs::file_status() : fs::status(resolved, error);
  if (status.type() == fs::file_type::none)
    return Status(Code::system, "cannot find the output '" + path + "': " + error.message());
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return Status(Code::invalid_argument, "the output '" + path + "' exists and is not a regular file");
  }
  return resolved;
}

std::string partial_name(const std::string& path, std::uint64_t tag) {
  const fs::path target(path);
  std::array<char, 16> digits;
  std::snprintf(digits.data(), digits.size(), "%08x", unsigned(tag));
  return (target.parent_path() / ("." + target.filename().string() + ".partial-" + digits.data())).string();
}

// The rename itself must survive a power cut, too.
Status sync_directory(const std::string& path) {
  const std::string directory = fs::path(path).parent_path().string();
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return file_error("open", directory);
  Status status;
  if (::fsync(fd) != 0) status = file_error("flush", directory);
  ::close(fd);
  return status;
}

}  // namespace

Status check_output(const std::string& path) {
  const Result<std::string> resolved = resolve(path);
  if (!resolved.ok()) return resolved.status();
  const std::string folder = fs::path(*resolved).parent_path().string();
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return file_error("write the output '" + path + "' into", folder);
  return {};
}

Result<OutputFile> OutputFile::create(const Crew& crew, const std::string& path, std::uint64_t bytes) {
  const Result<std::uint64_t> tag = crew.maximum(crew.rank == 0 ? std::random_device()() : 0);
  if (!tag.ok()) return tag.status();
  const Result<std::string> resolved = resolve(path);
  // Every rank makes the object, so every one takes part in what follows.
  OutputFile output(resolved.value_or(path), partial_name(resolved.value_or(path), *tag));
  Status status = resolved.status();
  if (status.ok() && crew.rank == 0) status = output.open_as(0, bytes);
  status = crew.agree(status);
  if (!status.ok()) return status;
  if (crew.rank != 0) status = output.open_as(crew.rank, bytes);
  status = crew.agree(status);
  if (!status.ok()) return status;
  return output;
}

Result<OutputFile> OutputFile::join(const std::string& path, std::uint64_t tag, std::uint64_t bytes) {
  const Result<std::string> resolved = resolve(path);
  if (!resolved.ok()) return resolved.status();
  OutputFile output(*resolved, partial_name(*resolved, tag));
  Status made = output.open_as(0, bytes);
  if (made.ok()) return output;
  if (made.code() == Code::exists) made = output.open_as(1, bytes);
  // Whoever made it may not have come to reserving its blocks.
  Result<std::uint64_t> size = made.ok() ? output.file_.size() : Result<std::uint64_t>(std::move(made));
  Status status = size.status();
  if (size.ok() && *size != bytes) status = output.file_.reserve(bytes);
  if (!status.ok()) return status;
  return output;
}

bool OutputFile::has_its_name() const {
  return partial_.empty() || file_.is_at(path_);
}

void OutputFile::keep() {
  partial_.clear();
  keep_on_interrupt();
}

Status OutputFile::open_as(unsigned rank, std::uint64_t bytes) {
  remove_on_interrupt(partial_);  // before it is there: a signal may come right behind
  Result<File> file =
      rank == 0 ? File::create(partial_, polder::util::mode_of_successor(path_)) : File::open_to_write(partial_);
  if (!file.ok()) return std::move(file).status();
  file_ = std::move(*file);
  return rank == 0 ? file_.reserve(bytes) : Status();
}

OutputFile::~OutputFile() {
  if (partial_.empty()) return;
  ::unlink(partial_.c_str());
  keep_on_interrupt();
}

Status OutputFile::commit(const Crew& crew, Status written, bool sync) {
  if (written.ok()) written = sync ? file_.sync() : Status();
  if (written.ok()) written = file_.settle();
  written = crew.agree(written);
  if (!written.ok()) return written;
  Status renamed;
  if (crew.rank == 0) polder::util::take_over_access(partial_, path_);
  if (crew.rank == 0 && std::rename(partial_.c_str(), path_.c_str()) != 0) renamed = file_error("rename to", path_);
  if (crew.rank == 0 && renamed.ok()) {
    partial_.clear();
    if (sync) renamed = sync_directory(path_);
  }
  renamed = crew.agree(renamed);
  // Where the rename was done the partial file is no more; where it failed the destructor removes it.
  if (!renamed.ok()) return renamed;
  partial_.clear();
  keep_on_interrupt();
  return renamed;
}

}  // namespace apps
