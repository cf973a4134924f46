// Appends chunks to a rank's trace file. Thread safe.
#pragma once

#include "trace/format/file.hpp"
#include "util/fd.hpp"

#include <polder/status.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include <sys/types.h>

namespace polder::trace {

class FileWriter {
 public:
  FileWriter() = default;

  // Makes the directory and the file and writes the header; an older file of that name is replaced. Once only.
  // limit: the header cannot be written, for the disk is full; no file is left. system: anything else.
  Status create(const std::string& directory, const FileHeader& header);

  // Writes a chunk as a whole or not at all. After an error (the disk is full) the file ends with the last whole chunk,
  // and every later call returns the same error.
  Status append(ChunkType type, std::uint32_t count, std::span<const std::byte> payload);

  // Takes the file out of its directory.
  void remove();

  const std::string& path() const { return path_; }
  // Bytes so far.
  std::uint64_t size() const { return std::uint64_t(size_.load(std::memory_order_relaxed)); }

 private:
  Status fail();

  std::string path_;
  std::mutex mutex_;
  util::Fd file_;
  std::atomic<off_t> size_{0};
  Status failure_;
};

}  // namespace polder::trace
