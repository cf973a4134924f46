// Writes a rank's share of the output from its begin to its end.
#pragma once

#include "file.hpp"
#include "record.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace terasort {

// In blocks that begin at multiples of their size in the file, whatever the records do: so the page cache never holds
// half a page, and takes huge pages where blocks have their size.
class ShareWriter {
 public:
  // The share is `bytes` from byte `offset` of `file` on. `file` must outlive this.
  ShareWriter(const File& file, std::uint64_t offset, std::uint64_t bytes, std::uint64_t block_bytes);

  // Where the next records go: at least one, and the last one may reach into the next block. add() takes the first
  // `bytes` of them.
  std::span<std::byte> room();
  Status add(std::uint64_t bytes);
  // Writes what is left.
  Status finish();

  // Bytes that are in the file.
  std::uint64_t written() const { return written_; }

 private:
  std::uint64_t to_block_end() const { return block_bytes_ - (offset_ + written_) % block_bytes_; }
  Status write(std::uint64_t bytes);

  const File& file_;
  std::uint64_t offset_;
  std::uint64_t block_bytes_;
  std::uint64_t written_ = 0;
  std::uint64_t filled_ = 0;  // bytes of `block_` that are not in the file yet
  std::vector<std::byte> block_;
};

}  // namespace terasort
