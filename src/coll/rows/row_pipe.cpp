#include "coll/rows/row_pipe.hpp"

#include "util/assert.hpp"

#include <cstring>
#include <string>

namespace polder::coll {

// ---- leaving ----

bool RowPipe::is_free(std::uint64_t number) const {
  if (number < layout_.cells() || window_.is_gone(peer_)) return true;
  const std::uint64_t before = number - layout_.cells();
  return window_.is_raised(layout_.given_back(here_, before), RowLayout::tag(before));
}

bool RowPipe::has_room(bool has_values) {
  if (filled_ != 0 && filled_ + layout_.record_bytes(has_values) > layout_.cell_bytes()) {
    close();
    push();
  }
  return filled_ != 0 || is_free(closed_);
}

void RowPipe::write(const RowRecord& record, const std::byte* values) {
  const std::size_t bytes = layout_.record_bytes(record.has_values());
  if (filled_ == 0) filled_ = RowLayout::kCellHead;
  POLDER_ASSERT(filled_ + bytes <= layout_.cell_bytes());
  std::byte* const place = leaving(closed_) + filled_;
  std::memcpy(place, &record, sizeof record);
  if (record.has_values() && layout_.row_bytes() != 0) std::memcpy(place + sizeof record, values, layout_.row_bytes());
  filled_ += bytes;
  ++written_;
}

void RowPipe::close() {
  if (filled_ == 0) return;
  const std::uint64_t bytes = filled_;
  std::memcpy(leaving(closed_), &bytes, sizeof bytes);
  ++closed_;
  filled_ = 0;
}

bool RowPipe::push() {
  for (; given_back_ < came_; ++given_back_)
    if (!window_.raise(peer_, layout_.given_back(there_, given_back_), RowLayout::tag(given_back_))) return false;
  for (; sent_ < closed_; ++sent_) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, leaving(sent_), sizeof bytes);
    const Notification flag{layout_.arrived(there_, sent_), RowLayout::tag(sent_)};
    if (!window_.put(peer_, layout_.arriving(there_, sent_), leaving(sent_), bytes, flag)) return false;
    bytes_ += bytes;
  }
  return true;
}

// ---- come ----

const RowRecord* RowPipe::next() {
  const std::byte* const cell = window_.own() + layout_.arriving(here_, came_);
  if (at_ == 0) {
    if (!window_.is_raised(layout_.arrived(here_, came_), RowLayout::tag(came_))) return nullptr;
    at_ = RowLayout::kCellHead;
  }
  const auto* const record = reinterpret_cast<const RowRecord*>(cell + at_);
  std::uint64_t bytes = 0;  // of the cell, as its writer says
  std::memcpy(&bytes, cell, sizeof bytes);
  const std::size_t left = bytes <= layout_.cell_bytes() && bytes > at_ ? bytes - at_ : 0;
  is_damaged_ =
      left < sizeof *record || record->kind > RowRecord::kLastKind || left < layout_.record_bytes(record->has_values());
  return is_damaged_ ? nullptr : record;
}

Status RowPipe::refused() const {
  return {Code::system,
          "stale table: rank " + std::to_string(window_.rank_of(peer_)) + " has sent what is no record of this table",
          Died::operation};
}

void RowPipe::take() {
  const std::byte* const cell = window_.own() + layout_.arriving(here_, came_);
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, cell, sizeof bytes);
  at_ += layout_.record_bytes(reinterpret_cast<const RowRecord*>(cell + at_)->has_values());
  ++taken_;
  if (at_ < bytes) return;
  at_ = 0;
  ++came_;
}

}  // namespace polder::coll
