#include "input_part.hpp"

#include <algorithm>

namespace terasort {

InputPart::InputPart(const File& file, Part part, std::uint64_t chunk_bytes)
    : file_(file),
      part_(part),
      next_(part.begin),
      position_(part.begin),
      chunk_records_(std::max<std::uint64_t>(chunk_bytes / kRecordBytes, 1)) {
  file_.read_in_order();
}

Result<std::span<const std::byte>> InputPart::read_chunk() {
  const std::uint64_t count = std::min(chunk_records_, part_.end - next_);
  if (chunk_.empty()) chunk_.resize(count * kRecordBytes);  // the first chunk is the longest
  const std::span<std::byte> chunk = std::span(chunk_).first(count * kRecordBytes);
  // A length of 0 would mean the rest of the file.
  if (next_ + count < part_.end)
    file_.want((next_ + count) * kRecordBytes, std::min(chunk_records_, part_.end - next_ - count) * kRecordBytes);
  Status status = file_.read_at(next_ * kRecordBytes, chunk);
  if (!status.ok()) return status;
  position_ = next_;
  next_ += count;
  return std::span<const std::byte>(chunk);
}

Status InputPart::read_rest(std::span<std::byte> to) {
  constexpr std::size_t kAtOnce = 16u << 20;
  while (!to.empty()) {
    const std::size_t bytes = std::min(to.size(), kAtOnce / kRecordBytes * kRecordBytes);
    if (bytes < to.size()) file_.want(next_ * kRecordBytes + bytes, std::min(to.size() - bytes, kAtOnce));
    Status status = file_.read_at(next_ * kRecordBytes, to.first(bytes));
    if (!status.ok()) return status;
    next_ += bytes / kRecordBytes;
    to = to.subspan(bytes);
  }
  return {};
}

}  // namespace terasort
