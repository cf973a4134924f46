// A file that appears under its name only when it is complete. Until then it lies beside that name as
// `.NAME.partial-XXXXXXXX`, written by all ranks, each at its place.
#pragma once

#include "common/crew.hpp"
#include "common/file.hpp"

#include <string>
#include <utility>

namespace apps {

class OutputFile {
 public:
  // Collective. Rank 0 creates the partial file and reserves its blocks (a full disk fails here and not at the end),
  // then all ranks open it. An existing file at `path` is replaced by commit() and untouched until then, so it may be
  // an input; anything else than a regular file is refused. The new file has its permissions, and its owner and group where this
  // process may give them. A symbolic link stays, and what it names is written, be it there or not.
  static Result<OutputFile> create(const Crew& crew, const std::string& path, std::uint64_t bytes);

  // Not collective, for ranks that come and go: opens the partial file of that `tag`, and makes it if nobody has. Whoever calls
  // it agrees with the others on the tag, and with all of them on the outcome before anything is written.
  static Result<OutputFile> join(const std::string& path, std::uint64_t tag, std::uint64_t bytes);

  OutputFile(OutputFile&& other) noexcept
      : path_(std::move(other.path_)), partial_(std::exchange(other.partial_, {})), file_(std::move(other.file_)) {}
  // Without a commit: removes the partial file. Any rank does it, so it is gone even if rank 0 is; SIGINT, SIGTERM and
  // SIGHUP do it, too.
  ~OutputFile();

  const File& file() const { return file_; }

  // Collective. `written` is this rank's outcome; if all succeeded, rank 0 renames, and either all ranks succeed or
  // none does. The file gets its name when the file system has told every rank that all is written; with `sync`, when the data is
  // on the disk.
  Status commit(const Crew& crew, Status written, bool sync = false);

  // Whether the file has its name, which another rank may have given it before it died.
  bool has_its_name() const;
  // From now on the destructor removes nothing: the file has its name, or others go on writing it.
  void keep();

 private:
  OutputFile(std::string path, std::string partial) : path_(std::move(path)), partial_(std::move(partial)) {}
  Status open_as(unsigned rank, std::uint64_t bytes);

  std::string path_;     // symbolic links resolved
  std::string partial_;  // empty once it has its name
  File file_;
};

// Whether a file could be written there, so that a job of hours does not find out at its end.
Status check_output(const std::string& path);

}  // namespace apps
