#include "ckpt/epoch_files.hpp"

#include "ckpt/saved_parts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace polder::ckpt {
namespace {

namespace fs = std::filesystem;

Status refused(const std::string& what, const std::string& path, int error) {
  return Status(Code::system, "checkpoint: " + what + " '" + path + "': " + std::generic_category().message(error));
}

class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~OpenFile() { (void)close(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }
  bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// Names in a directory are on disk.
Status sync_directory(const std::string& path) {
  const OpenFile directory(path, O_RDONLY | O_DIRECTORY);
  return directory.fd() >= 0 && ::fsync(directory.fd()) == 0 ? Status() : refused("cannot sync", path, errno);
}

bool write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(std::size_t(written));
  }
  return true;
}

Status write_file(const std::string& path, std::span<const std::byte> head, std::span<const std::byte> data) {
  OpenFile file(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (file.fd() < 0) return refused("cannot create", path, errno);
  if (!write_all(file.fd(), head) || !write_all(file.fd(), data) || ::fsync(file.fd()) != 0 || !file.close())
    return refused("cannot write", path, errno);
  return {};
}

// Nothing: there is none.
Result<std::optional<std::vector<std::byte>>> read_file(const std::string& path) {
  const OpenFile file(path, O_RDONLY);
  if (file.fd() < 0 && errno == ENOENT) return std::optional<std::vector<std::byte>>();
  if (file.fd() < 0) return refused("cannot open", path, errno);
  const off_t end = ::lseek(file.fd(), 0, SEEK_END);
  if (end < 0) return refused("cannot read", path, errno);
  std::vector<std::byte> bytes(std::size_t(end), std::byte{});
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t many = ::pread(file.fd(), bytes.data() + done, bytes.size() - done, off_t(done));
    if (many < 0 && errno == EINTR) continue;
    if (many < 0) return refused("cannot read", path, errno);
    if (many == 0) break;
    done += std::size_t(many);
  }
  bytes.resize(done);
  return std::optional(std::move(bytes));
}

// Members say that they have written, each where it is: on a machine that does not see the directory that is not here.
Status check_written(const std::string& draft, const EpochTable& table) {
  for (std::size_t place = 0; place < table.parts.size(); ++place) {
    const std::string path = draft + "/part-" + std::to_string(place);
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (error) return refused("place " + std::to_string(place) + " has written what is not here,", path, error.value());
    if (bytes != sizeof(EpochPartHeader) + table.parts[place].bytes)
      return Status(Code::system, "checkpoint: '" + path + "' has " + std::to_string(bytes) + " bytes instead of " +
                                      std::to_string(sizeof(EpochPartHeader)) + " and " +
                                      std::to_string(table.parts[place].bytes));
  }
  return {};
}

// One that has the name already could not be read, or is the same one once more. It gives way in one step where the file system can
// do that (NFS, for one, cannot): at each moment one of them is there.
Status give_name(const std::string& draft, const std::string& path) {
  std::error_code error;
  const std::string replaced = path + ".new.replaced";
  if (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
    fs::remove_all(draft, error);
    return {};
  }
  fs::remove_all(replaced, error);
  fs::rename(path, replaced, error);
  fs::rename(draft, path, error);
  return error ? refused("cannot rename '" + draft + "' to", path, error.value()) : Status();
}

// The number in "epoch-N".
bool parse_epoch(const std::string& name, std::uint64_t& epoch) {
  constexpr std::string_view kHead = "epoch-";
  if (!name.starts_with(kHead)) return false;
  const auto read = std::from_chars(name.data() + kHead.size(), name.data() + name.size(), epoch);
  return read.ec == std::errc() && read.ptr == name.data() + name.size() && epoch != 0 && epoch != ~std::uint64_t{0};
}

}  // namespace

Result<std::vector<std::uint64_t>> EpochFiles::epochs() const {
  std::vector<std::uint64_t> found;
  std::error_code error;
  for (fs::directory_iterator at(directory_, error), end; !error && at != end; at.increment(error))
    if (std::uint64_t epoch = 0; parse_epoch(at->path().filename(), epoch)) {
      std::error_code unseen;  // what has gone meanwhile is none
      if (at->is_directory(unseen)) found.push_back(epoch);
      if (unseen && unseen != std::errc::no_such_file_or_directory)
        return refused("cannot look at", at->path(), unseen.value());
    }
  if (error && error != std::errc::no_such_file_or_directory) return refused("cannot list", directory_, error.value());
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

Result<std::optional<EpochTable>> EpochFiles::table(std::uint64_t epoch) const {
  // Place 0 has seen it. A machine on which it is not there does not see the directory, and knows nothing of files in it.
  if (const OpenFile seen(path_of(epoch), O_RDONLY | O_DIRECTORY); seen.fd() < 0)
    return refused("cannot open", path_of(epoch), errno);
  const Result<std::optional<std::vector<std::byte>>> file = read_file(path_of(epoch) + "/table");
  if (!file.ok()) return file.status();
  if (!*file) return std::optional<EpochTable>();
  Result<EpochTable> table = EpochTable::decode(**file);
  if (!table.ok() || table->epoch != epoch || table->parts.empty()) return std::optional<EpochTable>();
  return std::optional(*std::move(table));
}

Result<std::optional<std::vector<std::byte>>> EpochFiles::part(const EpochTable& table, std::size_t place) const {
  Result<std::optional<std::vector<std::byte>>> file =
      read_file(path_of(table.epoch) + "/part-" + std::to_string(place));
  if (file.ok() && *file && !check_part(**file, table, place).ok()) file->reset();
  return file;
}

Status EpochFiles::write_part(const EpochDraft& draft, std::uint64_t place, std::span<const std::byte> copy) const {
  const std::string into = path_of(draft);
  std::error_code error;
  fs::create_directories(into, error);
  if (error) return refused("cannot create", into, error.value());
  EpochPartHeader header;
  header.place = place;
  std::memcpy(&header.copy, copy.data(), sizeof header.copy);
  return write_file(into + "/part-" + std::to_string(place), std::as_bytes(std::span(&header, 1)),
                    copy.subspan(sizeof header.copy));
}

Status EpochFiles::publish(const EpochDraft& draft, const EpochTable& table, const EpochsSeen& seen) const {
  const std::string from = path_of(draft), path = path_of(draft.epoch);
  Status status = check_written(from, table);
  if (status.ok()) status = write_file(from + "/table", table.encode(), {});
  if (status.ok()) status = sync_directory(from);
  if (!status.ok()) return status;
  status = give_name(from, path);
  if (status.ok()) status = sync_directory(directory_);
  if (status.ok()) tidy(table.epoch, seen);
  return status;
}

void EpochFiles::discard(const EpochDraft& draft) const {
  std::error_code error;
  fs::remove_all(path_of(draft), error);
}

// What cannot be removed now is removed after the next epoch. Of those before the latest the one stays that is known to be whole: others
// may be torn. Where nothing is known it is the last one. A later one that nobody has looked at stays.
void EpochFiles::tidy(std::uint64_t latest, const EpochsSeen& seen) const {
  const Result<std::vector<std::uint64_t>> all = epochs();
  if (!all.ok()) return;
  std::vector<fs::path> old;
  const std::uint64_t whole = seen.last_before(latest);
  std::uint64_t kept = 0;
  for (const std::uint64_t epoch : *all) {
    const bool is_torn = epoch > latest && std::find(seen.torn.begin(), seen.torn.end(), epoch) != seen.torn.end();
    const bool is_before = epoch < latest && (whole == 0 ? ++kept > 1 : epoch != whole);
    if (is_torn || is_before) old.emplace_back(path_of(epoch));
  }
  std::error_code error;
  for (fs::directory_iterator at(directory_, error), end; !error && at != end; at.increment(error))
    if (const std::string name = at->path().filename(); name.starts_with("epoch-") && name.find(".new.") != name.npos)
      old.push_back(at->path());
  for (const fs::path& path : old) fs::remove_all(path, error);
}

Result<bool> PartsOnDisk::is_whole(Rank place) {
  if (!file_.empty() && place_ == place) return true;
  Result<std::optional<std::vector<std::byte>>> file = files_.part(table_, place);
  if (!file.ok()) return std::move(file).status();
  if (!*file) return false;
  file_ = **std::move(file);
  place_ = place;
  return true;
}

Status PartsOnDisk::read(Rank place, std::size_t offset, std::span<std::byte> bytes, Timeout /*reads a file*/) {
  if (place >= size())
    return Status(Code::invalid_rank,
                  "checkpoint: there is no part " + std::to_string(place) + " of " + std::to_string(size()));
  if (Status status = check_bytes_of_part(place, size(), bytes_of(place), offset, bytes.size()); !status.ok())
    return status;
  const Result<bool> whole = is_whole(place);
  if (!whole.ok()) return whole.status();
  if (!*whole)
    return Status(Code::system, "checkpoint: part " + std::to_string(place) + " of epoch " + std::to_string(epoch()) +
                                    " on disk is not whole any more");
  if (!bytes.empty()) std::memcpy(bytes.data(), file_.data() + sizeof(EpochPartHeader) + offset, bytes.size());
  return {};
}

}  // namespace polder::ckpt
