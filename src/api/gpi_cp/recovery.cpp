// restore(): the last epoch is decided by those that live, joiners read the parts of the dead from whoever has them, and all have it
// at new mirrors before the old copies go. So no second death, at any moment, costs more than the first.
#include "api/gpi_cp/saved_range.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace polder::gpi_cp {

using api::Deadline;

SavedRange::Recovery::Recovery() = default;

Status SavedRange::restore(const WantedCopies& wanted, Timeout timeout) {
  const Deadline deadline(timeout);
  if (!std::ranges::binary_search(wanted.members, rt_.rank()))
    return Status(Code::invalid_argument, "this rank is not in the group");
  if (forming_)  // init() had no time here, and at others it had: then they have a checkpoint of which this rank is a member
    if (Status status = found(deadline); status.timed_out()) return status;
  if (recovery_ && recovery_->wanted.members != wanted.members)
    if (Status status = give_up_recovery(deadline); !status.ok()) return status;
  if (!recovery_) {
    Result<Formation> made = form(wanted);
    if (!made.ok()) return std::move(made).status();
    recovery_.emplace();
    recovery_->wanted = wanted;
    recovery_->next = *std::move(made);
  }
  Status status = recover(deadline);
  if (status.timed_out()) return status;
  if (status.ok()) {
    recovery_->parts.reset();  // it looks at the checkpoint that goes now
    range_ = recovery_->wanted.range;
    replace_current(recovery_->next, std::nullopt);
    spare_ = failed_ = false;
    window_.clear();
  }
  recovery_.reset();
  return status;
}

// In the order in which it must end: the checkpoint before its group.
void SavedRange::replace_current(Formation& next, std::optional<Status> ended) {
  current_.reset();
  current_ = std::move(next);
  ended_ = std::move(ended);
}

Status SavedRange::recover(const Deadline& deadline) {
  Recovery& r = *recovery_;
  if (Status status = end_last(deadline); !status.ok()) return status;
  if (Status status = r.next.meet(deadline); !status.ok()) return status;
  if (!r.shared) {
    if (!r.parts) r.parts.emplace(rt_, *r.next.group, current_ ? current_->checkpoint.get() : nullptr);
    Status status = r.parts->share(deadline.left());
    if (status.timed_out()) return status;
    if (!status.ok()) return r.lacks ? *r.lacks : status;
    r.shared = true;
  }
  if (!r.filled) {
    Status status = fill(deadline);
    if (status.timed_out()) return status;
    if (!status.ok()) r.lacks = std::move(status);
    r.filled = true;
  }
  if (Status status = decide(deadline); !status.ok()) return status;
  return save(deadline);
}

// Where it fails the others of the group must hear of it, joiners too: they do in share(), where nobody has an epoch then. It waits
// for members of the old group, which come only with the new one: where that has lost a rank, nobody need come.
Status SavedRange::end_last(const Deadline& deadline) {
  if (!current_) return {};
  while (!ended_) {
    const Timeout left = deadline.left();
    const auto gone = lost_of(recovery_->wanted.members);
    auto ended = current_->checkpoint->end(slice_of(left));
    if (ended.ok() || !ended.status().timed_out()) {
      ended_ = ended.ok() ? Status() : std::move(ended).status();
      failed_ = true;
    } else if (gone) {
      return Status(Code::peer_failed, "rank " + std::to_string(*gone) + " is gone");
    } else if (left.is_test() || deadline.over()) {
      return Code::timeout;
    }
  }
  if (!ended_->ok()) recovery_->lacks = *ended_;
  return {};
}

// Which part of the epoch this rank goes on with: its own, or, i-th of those that were not there, that of the i-th that is gone.
Result<Rank> SavedRange::own_place() const {
  const std::span<const Rank> before = recovery_->parts->ranks();
  const auto& now = recovery_->wanted.members;
  const auto place_of = [&](Rank rank) { return Rank(std::ranges::find(before, rank) - before.begin()); };
  if (place_of(rt_.rank()) < before.size()) return place_of(rt_.rank());
  std::vector<Rank> gone, joiners;
  for (const Rank rank : before)
    if (!std::ranges::binary_search(now, rank)) gone.push_back(rank);
  for (const Rank rank : now)
    if (place_of(rank) == before.size()) joiners.push_back(rank);
  const std::size_t turn = std::size_t(std::ranges::find(joiners, rt_.rank()) - joiners.begin());
  if (turn < gone.size()) return place_of(gone[turn]);
  return Status(Code::invalid_argument,
                std::to_string(joiners.size()) + " ranks join, and " + std::to_string(gone.size()) + " are gone");
}

Status SavedRange::fill(const Deadline& deadline) {
  Recovery& r = *recovery_;
  const Result<Rank> place = own_place();
  if (!place.ok()) return place.status();
  const std::size_t bytes = r.parts->bytes_of(*place);
  if (bytes != r.wanted.range.size())
    return Status(Code::invalid_size, "a range of " + std::to_string(r.wanted.range.size()) + " bytes, and " +
                                          std::to_string(bytes) + " were saved of rank " +
                                          std::to_string(r.parts->ranks()[*place]));
  r.joins = r.parts->ranks()[*place] != rt_.rank();
  if (!r.joins) r.part.resize(bytes);
  return r.parts->read(*place, 0, r.joins ? r.wanted.range : std::span(r.part), deadline.left());
}

Status SavedRange::decide(const Deadline& deadline) {
  Recovery& r = *recovery_;
  if (r.decided) return {};
  const auto agreed = r.next.group->agree(r.lacks ? 0 : ~std::uint64_t{0}, deadline.left());
  if (!agreed.ok()) return agreed.status();
  if (r.lacks) return *r.lacks;
  if (!agreed->failed.empty())
    return Status(Code::peer_failed, "rank " + std::to_string(agreed->failed.front()) + " is gone");
  if (agreed->dissenter)
    return Status(Code::peer_failed, "rank " + std::to_string(*agreed->dissenter) +
                                         " could not get its part of epoch " + std::to_string(r.parts->epoch()));
  r.decided = true;
  return {};
}

// The epoch once more, at the new mirrors: the ranges of survivors may hold something newer.
Status SavedRange::save(const Deadline& deadline) {
  Recovery& r = *recovery_;
  if (!r.next.opened)
    if (Status status = r.next.open(rt_, r.wanted.range, r.parts->epoch() - 1, deadline); !status.ok()) return status;
  Checkpoint& checkpoint = *r.next.checkpoint;
  Status status = checkpoint.start(r.joins ? std::span<const std::byte>(r.wanted.range) : r.part, deadline.left());
  if (status.timed_out()) return status;
  return checkpoint.commit(deadline.left());  // of a mirror that is gone it tells all
}

// The program has chosen another group while a call was unfinished. Others may have ended that call: then what they came to counts.
Status SavedRange::give_up_recovery(const Deadline& deadline) {
  Formation& next = recovery_->next;
  if (next.checkpoint != nullptr && !next.opened) {
    Status status = next.open(rt_, recovery_->wanted.range, recovery_->parts->epoch() - 1, deadline);
    if (status.timed_out()) return status;
  }
  if (next.opened) {
    const auto ended = next.checkpoint->end(deadline.left());
    if (!ended.ok() && ended.status().timed_out()) return ended.status();
    if (ended.ok() && ended->epoch == recovery_->parts->epoch()) {
      recovery_->parts.reset();
      range_ = recovery_->wanted.range;
      replace_current(next, Status());
    }
  }
  recovery_.reset();
  return {};
}

}  // namespace polder::gpi_cp
