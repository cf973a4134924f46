#include "api/gpi_cp/saved_range.hpp"

#include <polder/health.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace polder::gpi_cp {

using api::Deadline;

Result<Formation> SavedRange::form(const WantedCopies& wanted) const {
  auto group = rt_.create_group(wanted.members);
  if (!group.ok()) return std::move(group).status();
  Formation formation;
  formation.group = *std::move(group);
  formation.mirrors = wanted.mirrors;
  return formation;
}

// With another group than the call that timed out the program has given that one up: so may the others.
Status SavedRange::init(const WantedCopies& wanted, Timeout timeout) {
  const Deadline deadline(timeout);
  if (forming_members_ != wanted.members) forming_.reset();
  if (!std::ranges::binary_search(wanted.members, rt_.rank())) {
    spare_ = true;
    return {};
  }
  if (!forming_) {
    Result<Formation> made = form(wanted);
    if (!made.ok()) return std::move(made).status();
    forming_ = *std::move(made);
    forming_members_ = wanted.members;
    range_ = wanted.range;
  }
  return found(deadline);
}

Status SavedRange::found(const Deadline& deadline) {
  Status status = forming_->meet(deadline);
  if (status.ok()) status = forming_->open(rt_, range_, 0, deadline);
  if (status.timed_out()) return status;
  if (status.ok()) current_ = std::exchange(forming_, std::nullopt);
  forming_.reset();
  return status;
}

// That a mirror is gone commit() tells all: a rank that heard of it here alone would not come there.
Status SavedRange::start(Timeout timeout) {
  if (!current_) return {};
  Status status = current_->checkpoint->start(timeout);
  const bool told_later = status.code() == Code::peer_failed && current_->checkpoint->started() && !failed_;
  return told_later ? Status() : status;
}

// Where a rank is gone others may have heard of it elsewhere, and make a new group before they call restore(): they come to no
// commit(). So this one waits for nobody then; what was left open is decided in restore().
Status SavedRange::commit(Timeout timeout) {
  if (!current_ || !current_->checkpoint->started()) return {};
  if (failed_) return Status(Code::peer_failed, "the group has lost a rank; gpi_cp_restore is next");
  const Deadline deadline(timeout);
  while (true) {
    const Timeout left = deadline.left();
    // Before the look: a member that has committed may leave, and what it sent before that counts.
    const auto gone = lost_of(current_->group->ranks());
    Status status = current_->checkpoint->commit(slice_of(left));
    if (status.timed_out() && gone)
      status = Status(Code::peer_failed, "rank " + std::to_string(*gone) + " is gone; gpi_cp_restore is next");
    failed_ = !status.ok() && !status.timed_out();
    if (!status.timed_out() || left.is_test() || deadline.over()) return status;
  }
}

std::optional<Rank> SavedRange::lost_of(std::span<const Rank> ranks) const {
  for (const Rank rank : ranks)
    if (rt_.health(rank) != Health::healthy) return rank;
  return {};
}

// All have come, so nobody needs the copies here any more; a rank that is gone needs none either.
Status SavedRange::finalize(Timeout timeout) {
  if (in_progress()) return Status(Code::busy, "the last gpi_cp_start was not committed");
  if (!current_) return {};
  Status status = current_->group->barrier(timeout);
  return status.timed_out() ? status : Status();
}

std::byte* SavedRange::window() {
  window_.resize(2 * range_.size());
  return window_.data();
}

Status SavedRange::read_buddy(Timeout timeout) {
  if (!current_) return Status(Code::invalid_argument, "this rank is a spare");
  const Deadline deadline(timeout);
  const Checkpoint& saved = *current_->checkpoint;
  const Rank me = current_->group->index(), size = Rank(current_->group->size()), before = (me + size - 1) % size;
  const auto bytes_before = saved.bytes_of(before);
  if (!bytes_before.ok()) return bytes_before.status();
  std::byte* const own = window() + active();
  std::byte* const other = window() + (range_.size() - active());
  if (Status status = current_->checkpoint->fetch(me, {own, range_.size()}, deadline.left()); !status.ok())
    return status;
  if (*bytes_before == range_.size())
    return current_->checkpoint->fetch(before, {other, range_.size()}, deadline.left());
  std::vector<std::byte> part(*bytes_before);  // of another size than ours
  Status status = current_->checkpoint->fetch(before, part, deadline.left());
  if (status.ok()) std::copy_n(part.begin(), std::min(part.size(), range_.size()), other);
  return status;
}

Status SavedRange::rollback(Timeout timeout) {
  if (!current_) return Status(Code::invalid_argument, "this rank is a spare");
  if (in_progress()) return Status(Code::busy, "the last gpi_cp_start was not committed");
  return current_->checkpoint->fetch(current_->group->index(), range_, timeout);
}

}  // namespace polder::gpi_cp
