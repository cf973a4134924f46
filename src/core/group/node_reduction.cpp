#include "core/group/node_reduction.hpp"

#include "core/group/barrier.hpp"
#include "core/group/group_nodes.hpp"
#include "core/progress/progress.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace polder::core {
namespace {

// From here on it pays that all members of a node combine, though they meet once more for it.
constexpr std::size_t kInSlices = 16384;

}  // namespace

void NodeReduction::set_up(Setting setting) {
  setting_ = std::move(setting);
  const std::vector<Rank>& beside = setting_.nodes->beside();
  place_ = std::size_t(std::find(beside.begin(), beside.end(), setting_.index) - beside.begin());
  if (leads())
    exchange_.set_up({.ports = setting_.ports,
                      .barrier = setting_.barrier,
                      .ranks = setting_.ranks,
                      .memories = setting_.memories,
                      .leaders = setting_.nodes->leaders(),
                      .place = setting_.nodes->place(),
                      .room = setting_.room});
}

std::vector<Rank> NodeReduction::partners(const ReductionPiece& piece) const {
  std::vector<Rank> needed{setting_.nodes->leader()};
  if (leads()) needed = exchange_.partners(piece);
  if (leads() || in_slices(piece))
    needed.insert(needed.end(), setting_.nodes->beside().begin(), setting_.nodes->beside().end());
  return needed;
}

bool NodeReduction::leads() const {
  return setting_.nodes->leads(setting_.index);
}
std::size_t NodeReduction::members() const {
  return setting_.nodes->beside().size();
}
bool NodeReduction::in_slices(const ReductionPiece& piece) const {
  return members() > 1 && piece.bytes() >= kInSlices && piece.elements >= members();
}
std::byte* NodeReduction::leader_data() const {
  return setting_.memories[setting_.nodes->leader()].segment->data;
}
util::Bell& NodeReduction::leader_bell() const {
  return setting_.memories[setting_.nodes->leader()].segment->control->bell;
}
std::byte* NodeReduction::desk(std::size_t place) const {
  return setting_.memories[setting_.nodes->beside()[place]].segment->data + setting_.room.desk(parity_);
}

template <class Ready>
Status NodeReduction::wait(Ready&& ready, util::Bell& bell) {
  return setting_.ports->progress.wait(
      ready, [this] { return setting_.barrier->trouble(GroupProgress::reductions, number_); }, bell, left());
}

// ---- a reduction ----

Status NodeReduction::run(const ReductionPiece& piece, Status& outcome, Timeout timeout) {
  timeout_ = timeout;
  deadline_ = util::Deadline(timeout, setting_.ports->progress.clock());
  if (!broken_.ok()) return broken_;
  if (stage_ == Stage::idle) begin(piece);
  Status status = run_stages(piece);
  if (!status.ok() && !status.timed_out()) broken_ = status;
  if (!status.ok()) return status;
  stage_ = Stage::idle;
  completed_.store(number_, std::memory_order_relaxed);
  outcome = take(piece);
  return {};
}

void NodeReduction::begin(const ReductionPiece& piece) {
  ++number_;
  parity_ = number_ & 1;
  folded_ = 0;
  failure_ = {};
  if (in_slices(piece)) ++folds_;
  stage_ = Stage::showing;
}

Status NodeReduction::run_stages(const ReductionPiece& piece) {
  const std::uint64_t all_shown = number_ * members();
  if (stage_ == Stage::showing) {
    show(piece);
    stage_ = leads() || in_slices(piece) ? Stage::meeting : Stage::awaiting;
  }
  if (stage_ == Stage::meeting) {
    util::Bell& bell = in_slices(piece) && !leads() ? meeting().bell : leader_bell();
    const auto met = [&] { return meeting().shown.load(std::memory_order_acquire) >= all_shown; };
    if (Status status = wait(met, bell); !status.ok()) return status;
    stage_ = Stage::folding;
  }
  if (stage_ == Stage::folding) {
    if (Status status = in_slices(piece) ? fold_slice(piece) : fold_all(piece); !status.ok()) return status;
    stage_ = leads() ? Stage::gathering : Stage::awaiting;
  }
  if (stage_ == Stage::gathering) {
    const auto folded = [&] { return meeting().folded.load(std::memory_order_acquire) >= folds_ * members(); };
    if (Status status = wait(folded, leader_bell()); !status.ok()) return status;
    exchange_.begin(piece, number_, fold_failure());
    stage_ = Stage::exchanging;
  }
  if (stage_ == Stage::exchanging) {
    if (Status status = exchange_.run(piece, left()); !status.ok()) return status;
    publish();
  }
  if (stage_ == Stage::awaiting) {
    const auto there = [&] { return meeting().published.load(std::memory_order_acquire) >= number_; };
    return wait(there, meeting().bell);
  }
  return {};
}

// The leader's own vector begins the sum, unless others read it, too.
void NodeReduction::show(const ReductionPiece& piece) {
  std::byte* const to = leads() && !in_slices(piece) ? sum() : desk(place_);
  if (piece.elements != 0) std::memcpy(to, piece.send, piece.bytes());
  if (meeting().shown.fetch_add(1, std::memory_order_acq_rel) + 1 != number_ * members()) return;
  leader_bell().ring();
  if (in_slices(piece)) meeting().bell.ring();
}

Status NodeReduction::fold_slice(const ReductionPiece& piece) {
  const std::size_t first = piece.elements * place_ / members();
  if (Status status = fold(piece, first, piece.elements * (place_ + 1) / members() - first); !status.ok())
    return status;
  NodeMeeting& here = meeting();
  if (!failure_.ok()) here.failure[parity_].store(std::uint32_t(failure_.code()), std::memory_order_relaxed);
  if (here.folded.fetch_add(1, std::memory_order_acq_rel) + 1 == folds_ * members()) leader_bell().ring();
  return {};
}

// Of the desks into the sum. Only a timeout is returned.
Status NodeReduction::fold(const ReductionPiece& piece, std::size_t first, std::size_t elements) {
  const std::size_t begin = first * piece.element_size;
  for (; folded_ + 1 < members() && failure_.ok(); ++folded_) {
    const std::byte* before = folded_ == 0 && in_slices(piece) ? desk(0) : sum();
    Status status = piece.combine(before + begin, desk(folded_ + 1) + begin, sum() + begin, elements);
    if (status.timed_out()) return status;
    failure_ = std::move(status);
  }
  return {};
}

Status NodeReduction::fold_all(const ReductionPiece& piece) {
  return piece.elements == 0 ? Status() : fold(piece, 0, piece.elements);
}

// Of any member of this node.
Status NodeReduction::fold_failure() const {
  const auto code = Code(meeting().failure[parity_].exchange(0, std::memory_order_relaxed));
  if (!failure_.ok() || code == Code::ok) return failure_;
  return {code, "allreduce: combining failed at a rank beside rank " + std::to_string(setting_.ports->outside.rank()),
          Died::operation};
}

void NodeReduction::publish() {
  NodeMeeting& here = meeting();
  const Status& outcome = exchange_.outcome();
  NodeMeeting::Result& result = here.result[parity_];
  result.offset = exchange_.result_offset();
  result.code = std::uint32_t(outcome.code());
  if (!outcome.ok()) result.reason[outcome.message().copy(result.reason, sizeof result.reason - 1)] = '\0';
  here.published.store(number_, std::memory_order_release);
  here.bell.ring();
}

// What the leader has published.
Status NodeReduction::take(const ReductionPiece& piece) {
  const NodeMeeting::Result& result = meeting().result[parity_];
  if (!failure_.ok()) return std::move(failure_);
  if (result.code != 0) return {Code(result.code), result.reason, Died::operation};
  if (piece.elements != 0) std::memcpy(piece.receive, leader_data() + result.offset, piece.bytes());
  return {};
}

}  // namespace polder::core
