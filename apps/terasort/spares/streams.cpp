#include "streams.hpp"

namespace terasort {

void Streams::resume(std::span<const std::uint64_t> arrived) {
  arrived_.assign(arrived.begin(), arrived.end());
  chunk_ = {};
  input_.reset();
  if (!lengths_.empty() && arrived_ == lengths_) {
    position_ = part_.end;
    counts_ = lengths_;
    return;
  }
  // The last note before which nothing is missing. A stream that is there to its end is never short of one.
  std::size_t note = notes_.size();
  const auto nothing_is_missing_before = [&](const std::vector<std::uint64_t>& counts) {
    return std::equal(counts.begin(), counts.end(), arrived_.begin(),
                      [](auto count, auto there) { return count <= there; });
  };
  while (note > 0 && !nothing_is_missing_before(notes_[note - 1])) --note;
  position_ = part_.begin + (note == 0 ? 0 : note - 1) * kBetweenNotes;
  counts_ = note == 0 ? std::vector<std::uint64_t>(arrived_.size()) : notes_[note - 1];
}

Status Streams::refill() {
  if (position_ - part_.begin == notes_.size() * kBetweenNotes) notes_.push_back(counts_);
  if (!chunk_.empty()) return {};
  if (!input_) input_.emplace(file_, Part{position_, part_.end}, chunk_bytes_);
  const Result<std::span<const std::byte>> chunk = input_->read_chunk();
  if (!chunk.ok()) return chunk.status();
  chunk_ = *chunk;
  return {};
}

}  // namespace terasort
