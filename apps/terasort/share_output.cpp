#include "share_output.hpp"

#include <algorithm>

namespace terasort {

Result<ShareOutput> ShareOutput::prepare(RecordStore& store, const File& file, std::uint64_t first,
                                         std::uint64_t write_bytes) {
  Result<BucketSort> sorted = BucketSort::prepare(store);
  if (!sorted.ok()) return std::move(sorted).status();
  return ShareOutput(store, std::move(*sorted),
                     ShareWriter(file, first * kRecordBytes, store.size() * kRecordBytes, write_bytes));
}

Status ShareOutput::step(PhaseTimes& times, apps::Progress& progress) {
  if (next_ < store_->buckets()) {
    sorted_.sort(next_);
    times.end(Phase::sort);
    if (Status status = write_bucket(progress); !status.ok()) return status;
    store_->release(next_++);
    times.end(Phase::write);
    return {};
  }
  Status status = writer_.finish();
  finished_ = status.ok();
  times.end(Phase::write);
  return status;
}

Status ShareOutput::write_bucket(apps::Progress& progress) {
  for (std::uint64_t at = 0; at < sorted_.size();) {
    const std::span<std::byte> room = writer_.room();
    const std::uint64_t count = std::min(room.size() / kRecordBytes, sorted_.size() - at);
    sorted_.gather(at, count, room.data());
    if (Status status = writer_.add(count * kRecordBytes); !status.ok()) return status;
    at += count;
    progress.at(written());
  }
  return {};
}

}  // namespace terasort
