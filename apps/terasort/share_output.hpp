// A rank's share, from its store to its place in the output.
#pragma once

#include "bucket_sort.hpp"
#include "common/progress.hpp"
#include "record_store.hpp"
#include "report.hpp"
#include "share_writer.hpp"

#include <functional>

namespace terasort {

// Bucket by bucket: the memory of those that are written serves those that follow. May be stopped between two of them, and go on.
class ShareOutput {
 public:
  // The share begins at record `first` of `file`. All must outlive this; nothing may be appended to `store` any more.
  static Result<ShareOutput> prepare(RecordStore& store, const File& file, std::uint64_t first,
                                     std::uint64_t write_bytes);

  bool done() const { return finished_; }
  // Sorts and writes the next bucket, or what is left behind the last one.
  Status step(PhaseTimes& times, apps::Progress& progress);
  std::uint64_t written() const { return writer_.written() / kRecordBytes; }

 private:
  ShareOutput(RecordStore& store, BucketSort sorted, ShareWriter writer)
      : store_(&store), sorted_(std::move(sorted)), writer_(std::move(writer)) {}
  Status write_bucket(apps::Progress& progress);

  RecordStore* store_;
  BucketSort sorted_;
  ShareWriter writer_;
  unsigned next_ = 0;
  bool finished_ = false;
};

}  // namespace terasort
