// Allreduce on one node, by gathering: each member shows its vector, all read all and combine them in the order of the
// members. One meeting and (P-1) S bytes read per member for each chunk of 4 kB; no other algorithm has fewer meetings,
// which is what counts for short vectors and where ranks share cores. Every member combines in the same order, so the
// results are equal to the bit.
//
// On several nodes: core/group/node_reduction.hpp. Elements too large for that are gathered there, too.
#include <polder/collective.hpp>

#include "coll/port/elements.hpp"
#include "core/group/group_state.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "trace/record/span.hpp"
#include "util/deadline.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace polder {

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
  Status step(Timeout timeout);
  Status reduce(std::size_t elements, Timeout timeout);
  Status gather(std::size_t elements, Timeout timeout);
  Status gather_large_element(Timeout timeout);
  Status combine_parts(std::size_t elements);

  // An element is never torn apart by combining, however large it is.
  std::size_t chunk() const {
    const std::size_t left = spec.count - done;
    if (by_nodes()) return group->state().reduction_piece(left, spec.element_size);
    return std::min(left, std::max<std::size_t>(1, Group::kMaxGather / spec.element_size));
  }
  bool by_nodes() const { return group->state().reduces_by_nodes(spec.element_size); }
  // Of all members, `bytes` of each.
  std::byte* parts(std::size_t bytes) {
    const std::size_t needed = bytes * group->size();
    if (needed <= few.size()) return few.data();
    if (many.size() < needed) many.resize(needed);
    return many.data();
  }

  Group* group;
  ReductionSpec spec;
  const std::byte* send;
  std::byte* receive;
  std::size_t done = 0;   // elements
  std::size_t shown = 0;  // bytes of a large element that have been gathered
  bool gathered = false;  // the chunk is in parts(), and only combining is left
  Status failure;         // of combining; the rest is gone through all the same, for others may not know of it
  std::vector<std::byte> many;
  std::vector<std::byte> piece;                 // of a large element, of all members
  alignas(64) std::array<std::byte, 1024> few;  // instead of `many`, for what is short
};

void Allreduce::State::begin_again(ReductionSpec next, const void* from, void* to) {
  spec = std::move(next);
  send = static_cast<const std::byte*>(from);
  receive = static_cast<std::byte*>(to);
  done = 0;
  shown = 0;
  gathered = false;
  failure = {};
}

Status Allreduce::State::run(Timeout timeout) {
  trace::Span span(group->state().ports().outside.recorder(), trace::Kind::allreduce,
                   {.segment = group->state().trace_tag(), .bytes = spec.count * spec.element_size});
  if (Status status = check(); !status.ok()) return status;
  if (chunk() == spec.count - done) {  // the usual case needs no clock
    Status status = step(timeout);
    return status.ok() ? std::move(failure) : status;
  }
  const util::Deadline deadline(timeout, group->state().ports().progress.clock());
  do {
    if (Status status = step(deadline.remaining()); !status.ok()) return status;
  } while (done < spec.count);
  return std::move(failure);
}

Status Allreduce::State::check() const {
  if (spec.element_size == 0 || !spec.combine)
    return {Code::invalid_size, "allreduce: elements of " + std::to_string(spec.element_size) + " bytes"};
  if (spec.count != 0 && (send == nullptr || receive == nullptr))
    return {Code::invalid_argument, "allreduce: a buffer is null"};
  return {};
}

// One chunk; of an allreduce of nothing there is one, too: it still is a meeting.
Status Allreduce::State::step(Timeout timeout) {
  const std::size_t elements = chunk();
  if (by_nodes()) return reduce(elements, timeout);
  if (!gathered) {
    if (Status status = gather(elements, timeout); !status.ok()) return status;
    gathered = true;
  }
  Status status = failure.ok() ? combine_parts(elements) : Status();
  if (status.timed_out()) return status;
  if (!status.ok()) failure = std::move(status);
  gathered = false;
  done += elements;
  return {};
}

Status Allreduce::State::reduce(std::size_t elements, Timeout timeout) {
  const std::size_t at = done * spec.element_size;
  const core::ReductionPiece part{send + at, receive + at, elements, spec.element_size, spec.combine};
  Status outcome, status = group->state().reduce(part, outcome, timeout);
  if (!status.ok()) return status;
  if (failure.ok()) failure = std::move(outcome);
  done += elements;
  return {};
}

Status Allreduce::State::gather(std::size_t elements, Timeout timeout) {
  if (spec.element_size > Group::kMaxGather && elements != 0) return gather_large_element(timeout);
  const std::size_t bytes = elements * spec.element_size;
  return group->allgather({send + done * spec.element_size, bytes}, {parts(bytes), bytes * group->size()}, timeout);
}

// In pieces, which are put together again before anything is combined.
Status Allreduce::State::gather_large_element(Timeout timeout) {
  const util::Deadline deadline(timeout, group->state().ports().progress.clock());
  for (std::size_t bytes = 0; shown < spec.element_size; shown += bytes) {
    bytes = std::min(spec.element_size - shown, Group::kMaxGather);
    piece.resize(bytes * group->size());
    const Timeout left = deadline.remaining();
    Status status = group->allgather({send + done * spec.element_size + shown, bytes}, piece, left);
    if (!status.ok()) return status;
    for (std::size_t member = 0; member < group->size(); ++member)
      std::memcpy(parts(spec.element_size) + member * spec.element_size + shown, piece.data() + member * bytes, bytes);
  }
  shown = 0;
  return {};
}

Status Allreduce::State::combine_parts(std::size_t elements) {
  if (elements == 0) return {};
  const std::size_t bytes = elements * spec.element_size;
  std::byte* const sum = parts(bytes);
  for (std::size_t member = 1; member < group->size(); ++member)
    if (Status status = spec.combine(sum, sum + member * bytes, sum, elements); !status.ok()) return status;
  std::memcpy(receive + done * spec.element_size, sum, bytes);
  return {};
}

namespace {

// Whoever combines, here or in core.
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
