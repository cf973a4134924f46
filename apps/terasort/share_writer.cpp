#include "share_writer.hpp"

#include <algorithm>

namespace terasort {

ShareWriter::ShareWriter(const File& file, std::uint64_t offset, std::uint64_t bytes, std::uint64_t block_bytes)
    : file_(file), offset_(offset), block_bytes_(block_bytes), block_(std::min(bytes, block_bytes) + kRecordBytes) {}

std::span<std::byte> ShareWriter::room() {
  const std::uint64_t wanted = to_block_end() - filled_ + kRecordBytes - 1;
  const std::uint64_t records = std::min(wanted, block_.size() - filled_) / kRecordBytes;
  return std::span(block_).subspan(filled_, records * kRecordBytes);
}

Status ShareWriter::add(std::uint64_t bytes) {
  filled_ += bytes;
  const std::uint64_t full = to_block_end();
  return filled_ < full ? Status() : write(full);
}

Status ShareWriter::finish() {
  return write(filled_);
}

// What lies behind is less than a record, but at the end: there nothing lies behind.
Status ShareWriter::write(std::uint64_t bytes) {
  Status status = file_.write_at(offset_ + written_, std::span(block_).first(bytes));
  if (!status.ok()) return status;
  std::copy(block_.begin() + std::ptrdiff_t(bytes), block_.begin() + std::ptrdiff_t(filled_), block_.begin());
  written_ += bytes;
  filled_ -= bytes;
  return {};
}

}  // namespace terasort
