#include "coll/stale/stale_meeting.hpp"

#include "core/group/group_state.hpp"
#include "util/deadline.hpp"
#include "util/waiting.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace polder::coll {

Status StaleMeeting::commit(Group& group, Timeout timeout) {
  if (group_ == nullptr) {
    const auto ranks = group.ranks();
    auto made = core::GroupState::make_in_order(group.state().table(), {ranks.begin(), ranks.end()});
    if (!made.ok()) return std::move(made).status();
    group_ = *std::move(made);
  }
  return group_->commit(timeout);
}

// Who comes at about the same time as the others reads no clock, which takes as long as a short vector does.
Status StaleMeeting::run(Timeout timeout, std::int64_t& waited_ns) {
  if (enter() && is_there_at_once() && is_over(part_.has_failed() ? Status() : call_->wait(Timeout::test())))
    return window_.trouble();
  const std::int64_t begun = window_.clock().now_ns();
  Status status = run_waiting(timeout);
  waited_ns += window_.clock().now_ns() - begun;
  return status;
}

// A member that does not come makes other bells ring than the one that is slept on: it is looked for now and then.
Status StaleMeeting::run_waiting(Timeout timeout) {
  constexpr std::int64_t kLook = 50'000'000;  // ns
  const util::Deadline deadline(timeout, window_.clock());
  if (stage_ == Stage::adding)
    if (Status status = window_.wait([this] { return enter(); }, false, timeout); !status.ok()) return status;
  while (true) {
    const Timeout left = deadline.remaining();
    const Timeout look = std::chrono::nanoseconds(std::min(left.nanoseconds(), kLook));
    Status status = part_.has_failed() ? Status() : call_->wait(look);
    if (is_over(status)) return window_.trouble();
    part_.look_for_trouble_of_meeting();
    if (!part_.has_failed() && deadline.passed()) return status;
  }
}

bool StaleMeeting::is_there_at_once() {
  const auto look = [this] {
    call_->attend();
    return call_->ended();
  };
  return part_.has_failed() || look() || (window_.may_spin() && util::glance(look));
}

// False: the function that combines gave up for now.
bool StaleMeeting::enter() {
  if (stage_ != Stage::adding) return true;
  if (!part_.is_ready_to_meet()) return false;
  stage_ = Stage::meeting;
  if (part_.has_failed()) return true;
  call_ = &prepared();
  if (Status status = call_->begin(); !status.ok()) part_.fail(std::move(status));
  return true;
}

Call& StaleMeeting::prepared() {
  const std::byte* const total = part_.given();
  std::byte* const sum = part_.sum_of_all();
  if (total != nullptr && total == prepared_total_ && sum == prepared_sum_) return allreduce_;
  ReductionSpec wide = part_.spec().reduction;  // totals are in their wider form already
  wide.narrow_size = 0;
  if (total == nullptr) {
    wide.operation = CallRecord::kNoOperation;
    wide.combine = [](const void*, const void*, void*, std::size_t) { return Status(); };
    std::byte* const unused = part_.of_no_use();
    nothing_.prepare(*group_, {.kind = Kind::allreduce, .spec = std::move(wide), .send = unused, .receive = unused});
    return nothing_;
  }
  allreduce_.prepare(*group_, {.kind = Kind::allreduce, .spec = std::move(wide), .send = total, .receive = sum});
  prepared_total_ = total;
  prepared_sum_ = sum;
  return allreduce_;
}

// `status`: of the allreduce.
bool StaleMeeting::is_over(Status status) {
  if (status.timed_out()) return false;
  stage_ = Stage::over;
  if (!status.ok()) part_.look_for_trouble_of_meeting();
  if (!status.ok() && !part_.has_failed()) part_.fail(std::move(status));
  if (part_.has_failed())
    part_.work();
  else
    part_.has_met();
  return true;
}

}  // namespace polder::coll
