// A file that units of a team write and read together, each its part.
#pragma once

#include <polder/containers/failure.hpp>
#include <polder/containers/team.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace polder::containers {

// A file of the C library, closed with this object if not before. Every call says file and byte when it fails.
class SharedFile {
 public:
  SharedFile(const std::string& path, const char* mode) : path_(path), file_(std::fopen(path.c_str(), mode), &close) {
    if (file_ == nullptr) fail("cannot be opened");
  }
  void write(std::uint64_t at, const void* data, std::size_t bytes) {
    seek(at);
    if (bytes != 0 && std::fwrite(data, 1, bytes, file_.get()) != bytes)
      fail("cannot be written at byte " + std::to_string(at));
  }
  void read(std::uint64_t at, void* data, std::size_t bytes) {
    seek(at);
    if (bytes != 0 && std::fread(data, 1, bytes, file_.get()) != bytes)
      fail("ends before byte " + std::to_string(at + bytes) + ", or cannot be read");
  }
  // After the last call: what was written is in the file. A full disk is noticed here at the latest, also one behind a
  // network, which a file system may tell only when the file is closed.
  void finish() {
    if (std::FILE* const file = file_.release(); file != nullptr && std::fclose(file) != 0) fail("cannot be written");
  }
  [[noreturn]] void fail(const std::string& what) const { throw_failure(Code::system, "file '" + path_ + "' " + what); }

 private:
  static void close(std::FILE* file) {
    if (file != nullptr) std::fclose(file);
  }
  void seek(std::uint64_t at) {
    if (fseeko(file_.get(), off_t(at), SEEK_SET) != 0) fail("has no byte " + std::to_string(at));
  }

  std::string path_;
  std::unique_ptr<std::FILE, void (*)(std::FILE*)> file_;
};

// Every unit does its part; one that cannot, whatever its exception (memory that is not there), is named to all others,
// which learn of it here, and throws it. Collective.
template <class Work>
void together(const Team& team, const std::string& what, Work&& work) {
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  const std::vector<std::uint8_t> failed = team.gather(std::uint8_t(failure ? 1 : 0), what);
  if (failure) std::rethrow_exception(failure);
  for (Rank unit = 0; unit < failed.size(); ++unit)
    if (failed[unit] != 0) throw_failure(Code::system, what + ": it failed at rank " + std::to_string(team.rank(unit)));
}

}  // namespace polder::containers
