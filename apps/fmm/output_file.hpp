// A file that appears under its name only when it is complete. Until then it lies beside that name as
// `.NAME.partial-XXXXXXXX`, written by all ranks, each at its place.
#pragma once

#include "file.hpp"
#include "signal_guard.hpp"
#include "team.hpp"

#include <string>
#include <utility>

namespace fmm {

class OutputFile {
 public:
  // Collective. Rank 0 creates the partial file and reserves its blocks, then all ranks open it. An existing file at
  // `path` is replaced by commit() and untouched until then; anything else than a regular file is refused. With a guard
  // (which must outlive the file) the partial file goes on signals, too.
  static Result<OutputFile> create(const Team& team, const std::string& path, std::uint64_t bytes, SignalGuard* guard);

  OutputFile(OutputFile&& other) noexcept
      : path_(std::move(other.path_)),
        partial_(std::exchange(other.partial_, {})),
        file_(std::move(other.file_)),
        guard_(other.guard_) {}
  // Without a commit: removes the partial file. Any rank does it, so it is gone even if rank 0 is.
  ~OutputFile();

  const File& file() const { return file_; }

  // Collective. `written` is this rank's outcome; if all succeeded, rank 0 renames, and either all ranks succeed or
  // none does.
  Status commit(const Team& team, const Status& written);

 private:
  OutputFile(std::string path, std::string partial) : path_(std::move(path)), partial_(std::move(partial)) {}
  void protect(SignalGuard* guard);
  void settle();
  Status open_as(unsigned rank, std::uint64_t bytes);

  std::string path_;     // symbolic links resolved
  std::string partial_;  // empty once it has its name
  File file_;
  SignalGuard* guard_ = nullptr;
};

// Whether a file could be written there, so that a job of hours does not find out at its end.
Status check_output(const std::string& path);

}  // namespace fmm
