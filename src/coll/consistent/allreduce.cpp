// Allreduce of a short vector on one node, by gathering: each member shows its vector, all read all and combine them in
// the order of the members. One meeting and (P-1) S bytes read per member; no other algorithm has fewer meetings, which
// is what counts for short vectors and where ranks share cores. Every member combines in the same order, so the results
// are equal to the bit.
//
// All others are collectives like any other (consistent/call.hpp), by algorithms that keep an order.
#include <polder/collective.hpp>

#include "coll/consistent/call.hpp"
#include "coll/port/elements.hpp"
#include "core/group/group_state.hpp"
#include "core/progress/outside.hpp"
#include "trace/record/process.hpp"
#include "trace/record/span.hpp"
#include "util/copy.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace polder {

namespace {

// Memory that nobody clears: all of it is written before it is read, and clearing takes as long as that.
class UnclearedMemory {
 public:
  // What it holds is kept where it is large enough.
  std::byte* of(std::size_t bytes) {
    if (bytes_ < bytes) data_ = std::make_unique_for_overwrite<std::byte[]>(bytes_ = bytes);
    return data_.get();
  }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t bytes_ = 0;
};

// Lanes name all algorithms, but a group that goes by boards only has none.
void name_boards_in_traces() {
  [[maybe_unused]] static const bool once = [] {
    const trace::KindName board{trace::algorithm_kind(std::uint16_t(coll::Algorithm::board)), trace::EventKind::none,
                                to_string(coll::Algorithm::board).data(), "algorithm"};
    trace::name_module_kinds({&board, 1});
    return true;
  }();
}

}  // namespace

struct Allreduce::State {
  State(Group& g, ReductionSpec s, const void* from, void* to)
      : group(&g),
        spec(std::move(s)),
        send(static_cast<const std::byte*>(from)),
        receive(static_cast<std::byte*>(to)) {}

  void begin_again(ReductionSpec next, const void* from, void* to);
  Status run(Timeout timeout);

 private:
  Status check() const;
  Status call_all(Timeout timeout);
  Status gather(Timeout timeout);
  Status combine_parts();

  std::size_t bytes() const { return spec.count * spec.element_size; }
  bool fits_boards() const {
    return spec.count <= Group::kMaxGather / spec.element_size && group->state().nodes().one() &&
           !spec.same_in_any_layout && spec.narrow_size == 0;
  }
  // Of all members.
  std::byte* parts() {
    const std::size_t needed = bytes() * group->size();
    return needed <= few.size() ? few.data() : many.of(needed);
  }

  Group* group;
  ReductionSpec spec;
  const std::byte* send;
  std::byte* receive;
  std::unique_ptr<coll::Call> call;  // over anything but boards
  bool gathered = false;             // all is in parts(), and only combining is left,
  std::size_t member = 1;            // from this member on: the sum of those below is in the first part
  UnclearedMemory many;
  alignas(64) std::array<std::byte, 1024> few;  // instead of `many`, for what is short
};

void Allreduce::State::begin_again(ReductionSpec next, const void* from, void* to) {
  spec = std::move(next);
  send = static_cast<const std::byte*>(from);
  receive = static_cast<std::byte*>(to);
  gathered = false;
}

Status Allreduce::State::run(Timeout timeout) {
  if (Status status = check(); !status.ok()) return status;
  if (!fits_boards()) return call_all(timeout);
  trace::Recorder* const recorder = group->state().ports().outside.recorder();
  if (recorder != nullptr) [[unlikely]]
    name_boards_in_traces();
  trace::Span span(
      recorder, trace::EventKind::allreduce,
      {.segment = group->state().trace_tag(), .bytes = bytes(), .queue = std::uint16_t(coll::Algorithm::board)});
  if (!gathered) {
    if (Status status = gather(timeout); !status.ok()) return span.outcome(std::move(status));
    gathered = true;
    member = 1;
  }
  Status status = combine_parts();
  gathered = status.timed_out();
  return span.outcome(std::move(status));
}

Status Allreduce::State::check() const {
  if (spec.element_size == 0 || !spec.combine)
    return {Code::invalid_size, "allreduce: elements of " + std::to_string(spec.element_size) + " bytes"};
  if (spec.count != 0 && (send == nullptr || receive == nullptr))
    return {Code::invalid_argument, "allreduce: a buffer is null"};
  return {};
}

// Where no node has two members the order is that of the members; else it may be node by node.
Status Allreduce::State::call_all(Timeout timeout) {
  if (call == nullptr) call = std::make_unique<coll::Call>();
  // So that a short one that fails leaves `receive` as it is.
  const std::size_t given = spec.narrow_size == 0 ? bytes() : spec.count * spec.narrow_size;
  const bool is_short = given <= Group::kMaxGather;
  if (!call->under_way()) {
    std::byte* const result = is_short && spec.count != 0 ? many.of(Group::kMaxGather) : receive;
    ReductionSpec ordered = spec;
    ordered.commutes = spec.commutes && !group->state().nodes().one() && group->state().node_room().used();
    const coll::Arguments arguments{
        .kind = coll::Kind::allreduce, .spec = std::move(ordered), .send = send, .receive = result};
    if (Status status = coll::Call::check(*group, arguments); !status.ok()) return status;
    call->prepare(*group, arguments);
    if (Status status = call->begin(); !status.ok()) return status;
  }
  Status status = call->wait(timeout);
  if (status.ok() && is_short && spec.count != 0) util::copy(receive, many.of(Group::kMaxGather), given);
  return status;
}

Status Allreduce::State::gather(Timeout timeout) {
  return group->state().allgather({send, bytes()}, {parts(), bytes() * group->size()}, timeout,
                                  core::BoardCall::combining(spec.operation, spec.type));
}

Status Allreduce::State::combine_parts() {
  if (spec.count == 0) return {};
  std::byte* const sum = parts();
  for (; member < group->size(); ++member)
    if (Status status = spec.combine(sum, sum + member * bytes(), sum, spec.count); !status.ok()) return status;
  util::copy(receive, sum, bytes());
  return {};
}

namespace {

// Whoever combines, here or in a port.
ReductionSpec guarded(ReductionSpec spec) {
  if (!spec.combine) return spec;
  spec.combine = [combine = std::move(spec.combine)](const void* one, const void* two, void* result,
                                                     std::size_t count) {
    return coll::combine_guarded(combine, one, two, result, count);
  };
  return spec;
}

}  // namespace

Allreduce::Allreduce(Group& group, ReductionSpec spec, const void* send, void* receive)
    : state_(std::make_unique<State>(group, guarded(std::move(spec)), send, receive)) {}

Allreduce::~Allreduce() = default;
Allreduce::Allreduce(Allreduce&&) noexcept = default;
Allreduce& Allreduce::operator=(Allreduce&&) noexcept = default;

void Allreduce::begin_again(ReductionSpec spec, const void* send, void* receive) {
  state_->begin_again(guarded(std::move(spec)), send, receive);
}

Status Allreduce::run(Timeout timeout) {
  return state_->run(timeout);
}

Status allreduce(Group& group, Reduction op, DataType type, const void* send, void* receive, std::size_t count,
                 Timeout timeout) {
  auto spec = reduction(op, type, count);
  if (!spec.ok()) return std::move(spec).status();
  return Allreduce::State(group, *std::move(spec), send, receive).run(timeout);
}

}  // namespace polder
