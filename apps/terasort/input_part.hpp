// Reads a rank's part of the input from begin to end in large chunks, while the kernel fetches the next one.
#pragma once

#include "file.hpp"
#include "part.hpp"
#include "record.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace terasort {

class InputPart {
 public:
  // `file` must outlive this. Chunks have `chunk_bytes`, rounded down to whole records (at least one).
  InputPart(const File& file, Part part, std::uint64_t chunk_bytes);

  const Part& part() const { return part_; }
  bool at_end() const { return next_ == part_.end; }

  // The next records, valid until the next call. REQUIRES: !at_end().
  Result<std::span<const std::byte>> read_chunk();
  // Number, in the file, of the first record that the last read_chunk() gave.
  std::uint64_t chunk_position() const { return position_; }

  // Reads all that is left to `to`, which is exactly as long.
  Status read_rest(std::span<std::byte> to);

 private:
  void want_next();

  const File& file_;
  Part part_;
  std::uint64_t next_;
  std::uint64_t position_;
  std::uint64_t wanted_;  // the kernel was asked for what lies before
  std::uint64_t chunk_records_;
  std::vector<std::byte> chunk_;
};

}  // namespace terasort
