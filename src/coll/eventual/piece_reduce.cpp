#include "coll/eventual/piece_reduce.hpp"

#include "coll/port/elements.hpp"

#include <cstring>
#include <utility>

namespace polder::coll {

void PieceReduce::begin() {
  job_ = reading_job_ = 0;
  reading_part_ = 0;
  read_ = combined_ = 0;
  told_ = 0;
  is_job_combined_ = has_come_ = has_stopped_ = false;
  failure_ = {};
}

bool PieceReduce::advance(const PieceOperation& operation, const Combine& combine, std::uint64_t hash) {
  bool goes_on = true;
  while (goes_on && !has_stopped_) {
    goes_on = false;
    while (read_next(operation, hash)) goes_on = true;
    if (combine_next(operation, combine)) goes_on = true;
  }
  return has_stopped_ ? settle(operation) : is_done(operation);
}

bool PieceReduce::settle(const PieceOperation& operation) {
  for (PieceRead& read : reads_.all) {
    if (!read.is_under_way) continue;
    const Got outcome = PieceReads::got(operation.window, read);
    if (outcome == Got::not_yet) return false;
    if (outcome == Got::lost) has_stopped_ = true;
  }
  return true;
}

// The next part, if it lies there; what comes first is read where the result is
// going to be.
bool PieceReduce::read_next(const PieceOperation& operation, std::uint64_t hash) {
  WindowPort& window = operation.window;
  const PiecePlan& plan = operation.plan;
  if (reading_job_ == plan.jobs(window.me()) || read_ - combined_ == kMostReads) return false;
  const std::uint32_t piece = plan.job(window.me(), reading_job_);
  const PiecePlan::Part part = plan.part(piece, window.me(), reading_part_);
  PieceRead& read = slot(read_);
  read.from = part.member, read.piece = piece, read.part = reading_part_;
  if (part.member != window.me()) {
    if (!operation.has_come(part.member) || !operation.fits(part.member, hash)) return false;
    if (part.is_combined && !operation.is_shown(part.member, piece)) return false;
    const std::size_t bytes = operation.bytes(piece), combined = operation.result(piece);
    if (reading_part_ != 0 && read.bytes.size() < bytes) read.bytes.resize(bytes);
    std::byte* const into = reading_part_ == 0 ? window.own() + combined : read.bytes.data();
    const std::size_t from = part.is_combined ? combined : operation.contribution(piece);
    if (!PieceReads::post(window, read, into, from, bytes)) return false;
  }
  ++read_;
  if (++reading_part_ == plan.parts(piece, window.me())) reading_part_ = 0, ++reading_job_;
  return true;
}

bool PieceReduce::combine_next(const PieceOperation& operation, const Combine& combine) {
  if (is_job_combined_) return show_job(operation);
  if (combined_ == read_) return false;
  PieceRead& read = slot(combined_);
  if (!has_come_ && read.is_under_way) {
    const Got outcome = PieceReads::got(operation.window, read);
    if (outcome == Got::not_yet) return false;
    if (outcome == Got::lost) {
      has_stopped_ = true;
      return false;
    }
  }
  has_come_ = true;
  if (!add(operation, read, combine)) return false;
  has_come_ = false;
  ++combined_;
  is_job_combined_ = read.part + 1 == operation.plan.parts(read.piece, operation.window.me());
  return true;
}

// False: the function gave up for now, or failed.
bool PieceReduce::add(const PieceOperation& operation, const PieceRead& read, const Combine& combine) {
  WindowPort& window = operation.window;
  const bool is_own = read.from == window.me();
  std::byte* const sum = window.own() + operation.result(read.piece);
  const std::byte* const own = window.own() + operation.contribution(read.piece);
  const std::size_t elements = operation.elements(read.piece);
  if (elements == 0) return true;
  if (read.part == 0) {
    if (is_own) std::memcpy(sum, own, operation.bytes(read.piece));
    return true;
  }
  Status status = combine_guarded(combine, sum, is_own ? own : read.bytes.data(), sum, elements);
  if (status.ok()) return true;
  if (status.timed_out()) return false;
  failure_ = std::move(status);
  has_stopped_ = true;
  return false;
}

bool PieceReduce::show_job(const PieceOperation& operation) {
  const Rank me = operation.window.me();
  const std::uint32_t piece = operation.plan.job(me, job_);
  for (; told_ < operation.plan.receivers(piece, me); ++told_)
    if (!operation.show(operation.plan.receiver(me, told_), piece)) return false;
  told_ = 0;
  is_job_combined_ = false;
  ++job_;
  return true;
}

}  // namespace polder::coll
