#include "output_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <random>
#include <system_error>

#include <unistd.h>

namespace fmm {
namespace {

namespace fs = std::filesystem;

// The file that a name stands for: replacing a symbolic link by a file is not what people mean.
Result<std::string> resolve(const std::string& path) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(fs::absolute(path), error);
  if (error) return Status(Code::system, "cannot find the output '" + path + "': " + error.message());
  const fs::file_status status = fs::status(resolved, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    return Status(Code::invalid_argument, "the output '" + path + "' exists and is not a regular file");
  return resolved.string();
}

std::string partial_name(const std::string& path, std::uint64_t tag) {
  const fs::path target(path);
  std::array<char, 16> digits;
  std::snprintf(digits.data(), digits.size(), "%08x", unsigned(tag));
  return (target.parent_path() / ("." + target.filename().string() + ".partial-" + digits.data())).string();
}

}  // namespace

Status check_output(const std::string& path) {
  const Result<std::string> resolved = resolve(path);
  if (!resolved.ok()) return resolved.status();
  const std::string folder = fs::path(*resolved).parent_path().string();
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return file_error("write the output '" + path + "' into", folder);
  return {};
}

Result<OutputFile> OutputFile::create(const Team& team, const std::string& path, std::uint64_t bytes,
                                      SignalGuard* guard) {
  const Result<std::uint64_t> tag = team.maximum(team.rank() == 0 ? std::random_device()() : 0);
  if (!tag.ok()) return tag.status();
  const Result<std::string> resolved = resolve(path);
  // Every rank makes the object, so every one takes part in what follows.
  OutputFile output(resolved.value_or(path), partial_name(resolved.value_or(path), *tag));
  output.protect(guard);
  Status status = resolved.status();
  if (status.ok() && team.rank() == 0) status = output.open_as(0, bytes);
  status = team.agree(status);
  if (!status.ok()) return status;
  if (team.rank() != 0) status = output.open_as(team.rank(), bytes);
  status = team.agree(status);
  if (!status.ok()) return status;
  return output;
}

Status OutputFile::open_as(unsigned rank, std::uint64_t bytes) {
  Result<File> file = rank == 0 ? File::create(partial_) : File::open_to_write(partial_);
  if (!file.ok()) return std::move(file).status();
  file_ = std::move(*file);
  return rank == 0 ? file_.reserve(bytes) : Status();
}

OutputFile::~OutputFile() {
  if (partial_.empty()) return;
  ::unlink(partial_.c_str());
  settle();
}

void OutputFile::protect(SignalGuard* guard) {
  guard_ = guard;
  if (guard_ != nullptr) guard_->remove_on_signal(partial_);
}

// There is no partial file any more.
void OutputFile::settle() {
  partial_.clear();
  if (guard_ != nullptr) guard_->remove_on_signal({});
}

Status OutputFile::commit(const Team& team, const Status& written) {
  Status status = team.agree(written);
  if (!status.ok()) return status;
  Status renamed;
  if (team.rank() == 0 && std::rename(partial_.c_str(), path_.c_str()) != 0) renamed = file_error("rename to", path_);
  if (team.rank() == 0 && renamed.ok()) settle();
  renamed = team.agree(renamed);
  // Where the rename was done the partial file is no more; where it failed the destructor removes it.
  if (renamed.ok()) settle();
  return renamed;
}

}  // namespace fmm
