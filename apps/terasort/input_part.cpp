#include "input_part.hpp"

#include <algorithm>
#include <cassert>

namespace terasort {
namespace {

// Records that the kernel is asked to fetch before they are read: 16 MB, enough to keep a disk busy.
constexpr std::uint64_t kRecordsAhead = 160'000;

}  // namespace

InputPart::InputPart(const File& file, Part part, std::uint64_t chunk_bytes)
    : file_(file),
      part_(part),
      next_(part.begin),
      position_(part.begin),
      wanted_(part.begin),
      chunk_records_(std::max<std::uint64_t>(chunk_bytes / kRecordBytes, 1)) {
  file_.read_in_order();
}

void InputPart::want_next() {
  if (wanted_ == part_.end || wanted_ > next_ + kRecordsAhead / 2) return;
  const std::uint64_t begin = std::max(wanted_, next_);
  const std::uint64_t end = std::min(part_.end, begin + kRecordsAhead);
  file_.want(begin * kRecordBytes, (end - begin) * kRecordBytes);
  wanted_ = end;
}

Result<std::span<const std::byte>> InputPart::read_chunk() {
  assert(!at_end());
  const std::uint64_t count = std::min(chunk_records_, part_.end - next_);
  if (chunk_.empty()) chunk_.resize(count * kRecordBytes);  // the first chunk is the longest
  const std::span<std::byte> chunk = std::span(chunk_).first(count * kRecordBytes);
  want_next();
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
    want_next();
    Status status = file_.read_at(next_ * kRecordBytes, to.first(bytes));
    if (!status.ok()) return status;
    next_ += bytes / kRecordBytes;
    to = to.subspan(bytes);
  }
  return {};
}

}  // namespace terasort
