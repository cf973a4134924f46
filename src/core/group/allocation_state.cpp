#include "core/group/allocation_state.hpp"

#include "core/post/one_sided.hpp"
#include "core/segment/segments.hpp"
#include "util/deadline.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace polder::core {

std::unique_ptr<Allocation> AllocationState::make(const GroupPorts& ports, Group& group, const AllocationSpec& spec) {
  return std::unique_ptr<Allocation>(new Allocation(std::make_unique<AllocationState>(ports, group, spec)));
}

AllocationState::~AllocationState() {
  give_back();
}

void AllocationState::give_back() {
  if (!std::exchange(exists_, false)) return;
  [[maybe_unused]] const Status removed =
      ports_.segments.remove(segment_.id, std::chrono::seconds(5));  // invalid_segment: the user was faster
}

template <class T>
Status AllocationState::gather(const T& mine, std::vector<T>& all, Timeout timeout) {
  all.resize(group_.size());
  return group_.state().allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)), timeout);
}

Status AllocationState::commit(Timeout timeout) {
  const util::Deadline deadline(timeout, ports_.clock);
  const auto left = [&] { return deadline.remaining(); };
  if (stage_ == Stage::created) {
    proposal_ = ports_.segments.free_id(kFirstAutomaticSegment);
    stage_ = Stage::proposing;
  }
  while (true) {
    if (stage_ == Stage::committed) return {};
    if (stage_ != Stage::proposing && stage_ != Stage::reporting)
      return {Code::invalid_argument, "commit of an allocation that has failed or been freed"};
    Status status = stage_ == Stage::proposing ? propose(left()) : report(left());
    if (!status.ok()) return status;
  }
}

Status AllocationState::propose(Timeout timeout) {
  if (Status status = gather(proposal_, proposals_, timeout); !status.ok()) return status;
  agreed_ = *std::max_element(proposals_.begin(), proposals_.end());
  if (agreed_ >= Root::kFirstGroupSegment) {
    stage_ = Stage::failed;
    return {Code::limit, "no segment id is left that all members of the group could use"};
  }
  report_ = make_segment();
  stage_ = Stage::reporting;
  return {};
}

AllocationState::Report AllocationState::make_segment() {
  auto made = ports_.segments.create_at(agreed_, {.size = spec_.size, .notifications = spec_.notifications});
  if (!made.ok()) return {.contribution = {}, .code = std::uint64_t(made.status().code())};
  segment_ = *made;
  exists_ = true;
  const bool any = spec_.size != 0;
  return {.contribution = {any ? std::bit_cast<std::uintptr_t>(segment_.data) : 0, spec_.size}};
}

Status AllocationState::report(Timeout timeout) {
  if (Status status = gather(report_, reports_, timeout); !status.ok()) return status;
  const auto bad = std::find_if(reports_.begin(), reports_.end(), [](const Report& r) { return r.code != 0; });
  if (bad == reports_.end()) {
    if (spec_.gather)
      for (const Report& each : reports_) contributions_.push_back(each.contribution);
    stage_ = Stage::committed;
    return {};
  }
  give_back();
  const bool taken = std::all_of(reports_.begin(), reports_.end(),
                                 [](const Report& r) { return r.code == 0 || Code(r.code) == Code::exists; });
  if (taken) {  // by another thread, or another allocation, at some member
    proposal_ = ports_.segments.free_id(agreed_ + 1);
    stage_ = Stage::proposing;
    return {};
  }
  stage_ = Stage::failed;
  const auto worst = std::find_if(reports_.begin(), reports_.end(),
                                  [](const Report& r) { return r.code != 0 && Code(r.code) != Code::exists; });
  return {Code(worst->code), "rank " + std::to_string(group_.absolute(Rank(worst - reports_.begin()))) +
                                 " could not allocate its part of a collective allocation"};
}

Status AllocationState::free(Timeout timeout) {
  if (stage_ != Stage::committed && stage_ != Stage::freeing)
    return {Code::invalid_argument, "free of an allocation that is not committed"};
  const util::Deadline deadline(timeout, ports_.clock);
  if (stage_ == Stage::committed) {
    OneSided& one_sided = ports_.one_sided;
    if (Status status = one_sided.fence(one_sided.operations_on(segment_.id), timeout); !status.ok()) return status;
    stage_ = Stage::freeing;
  }
  Status status = group_.barrier(deadline.remaining());
  const bool goes_on = status.timed_out() || status.code() == Code::busy;  // peers may still use it
  if (goes_on) return status;
  give_back();
  stage_ = Stage::failed;
  return status;
}

}  // namespace polder::core

namespace polder {

Allocation::Allocation(std::unique_ptr<core::AllocationState> state) : state_(std::move(state)) {}
Allocation::~Allocation() = default;

Status Allocation::commit(Timeout timeout) {
  return state_->commit(timeout);
}
bool Allocation::committed() const {
  return state_->committed();
}
Status Allocation::free(Timeout timeout) {
  return state_->free(timeout);
}
SegmentId Allocation::id() const {
  return state_->segment().id;
}
const Segment& Allocation::segment() const {
  return state_->segment();
}
std::span<const Contribution> Allocation::contributions() const {
  return state_->contributions();
}

}  // namespace polder
