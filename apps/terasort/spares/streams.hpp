// A place's part of the input as one stream of records for each place: what belongs there, in the order of the file. A stream can
// be had again from any record on, so how many records of it have arrived says exactly what is missing, whoever has died.
#pragma once

#include "../input_part.hpp"
#include "../splitters.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace terasort {

class Streams {
 public:
  // Records between two notes of how far each stream was: going back costs reading and looking at so many at most.
  static constexpr std::uint64_t kBetweenNotes = 32'768;

  // `file` and `splitters` must outlive this.
  Streams(const File& file, Part part, std::uint64_t chunk_bytes, const Splitters& splitters)
      : file_(file),
        part_(part),
        chunk_bytes_(chunk_bytes),
        splitters_(splitters),
        position_(part.begin),
        counts_(splitters.ranks()),
        arrived_(splitters.ranks()) {}

  // Of the stream to place p arrived[p] records are there. What follows them comes next; where all streams are there to their
  // ends, nothing is read.
  void resume(std::span<const std::uint64_t> arrived);

  bool at_end() const { return position_ == part_.end; }
  std::uint64_t done() const { return position_ - part_.begin; }
  // Records of each stream up to here: at the end, their lengths.
  const std::vector<std::uint64_t>& counts() const { return counts_; }

  // Looks at `most` records at most and gives those that have not arrived to `take(place, record)`, until that returns false:
  // then that record comes again. Returns how many were looked at.
  template <class Take>
  Result<std::uint64_t> read(std::uint64_t most, Take&& take) {
    if (at_end()) return std::uint64_t{0};
    if (Status status = refill(); !status.ok()) return status;
    const std::uint64_t count = std::min({most, chunk_.size() / kRecordBytes, to_next_note()});
    const std::byte* record = chunk_.data();
    std::uint64_t looked = 0;
    for (; looked < count; ++looked, record += kRecordBytes) {
      const unsigned to = splitters_.rank_of(record, position_ + looked);
      if (counts_[to] >= arrived_[to] && !take(to, record)) break;
      ++counts_[to];
    }
    chunk_ = chunk_.subspan(looked * kRecordBytes);
    position_ += looked;
    if (at_end()) lengths_ = counts_;
    return looked;
  }

 private:
  std::uint64_t to_next_note() const { return kBetweenNotes - (position_ - part_.begin) % kBetweenNotes; }
  // Sees to it that records are at hand, and notes how far the streams are where it is time.
  Status refill();

  const File& file_;
  Part part_;
  std::uint64_t chunk_bytes_;
  const Splitters& splitters_;
  std::optional<InputPart> input_;      // from some record of the part on
  std::span<const std::byte> chunk_{};  // what was read and not looked at
  std::uint64_t position_;              // of the next record, in the file
  std::vector<std::uint64_t> counts_, arrived_;
  std::vector<std::uint64_t> lengths_;             // empty until the end was seen
  std::vector<std::vector<std::uint64_t>> notes_;  // counts_ as they were every kBetweenNotes records
};

}  // namespace terasort
