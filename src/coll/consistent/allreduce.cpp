// Allreduce by gathering: each member shows its vector, all read all and combine them in the order of the members.
//
// One barrier and (P-1) S bytes read per member for each chunk of 4 kB; no other algorithm has fewer meetings, which is
// what counts for short vectors and where ranks share cores. Every member combines in the same order, so the results
// are equal to the bit.
#include <polder/collective.hpp>

#include "core/engine.hpp"
#include "core/group_state.hpp"
#include "trace/span.hpp"
#include "util/deadline.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace polder {

struct Allreduce::State {
  Group* group = nullptr;
  ReductionSpec spec;
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::size_t done = 0;          // elements
  bool gathered = false;         // the chunk is in `parts`, and only combining is left
  std::vector<std::byte> parts;  // of all members

  std::size_t chunk() const { return std::min(spec.count - done, Group::kMaxGather / spec.element_size); }
  Status run(Timeout timeout);
  Status step(Timeout timeout);
  Status combine_parts(std::size_t elements);
};

Status Allreduce::State::run(Timeout timeout) {
  trace::Span span(group->state().engine().recorder(), trace::Kind::allreduce,
                   {.bytes = spec.count * spec.element_size});
  if (spec.element_size == 0 || spec.element_size > Group::kMaxGather || !spec.combine)
    return {Code::invalid_size, "allreduce: elements of " + std::to_string(spec.element_size) + " bytes"};
  if (spec.count != 0 && (send == nullptr || receive == nullptr))
    return {Code::invalid_argument, "allreduce: a buffer is null"};
  const util::Deadline deadline(timeout);
  do {
    if (Status status = step(timeout.is_test() ? timeout : deadline.remaining()); !status.ok()) return status;
  } while (done < spec.count);
  return {};
}

// One chunk; of an allreduce of nothing there is one, too: it still is a meeting.
Status Allreduce::State::step(Timeout timeout) {
  const std::size_t elements = chunk();
  const std::size_t bytes = elements * spec.element_size;
  parts.resize(bytes * group->size());
  if (!gathered) {
    Status status = group->allgather({send + done * spec.element_size, bytes}, parts, timeout);
    if (!status.ok()) return status;
    gathered = true;
  }
  if (Status status = combine_parts(elements); !status.ok()) return status;
  gathered = false;
  done += elements;
  return {};
}

Status Allreduce::State::combine_parts(std::size_t elements) {
  if (elements == 0) return {};
  const std::size_t bytes = elements * spec.element_size;
  std::byte* sum = parts.data();
  for (std::size_t member = 1; member < group->size(); ++member)
    if (Status status = spec.combine(sum, parts.data() + member * bytes, sum, elements); !status.ok()) return status;
  std::memcpy(receive + done * spec.element_size, sum, bytes);
  return {};
}

Allreduce::Allreduce(Group& group, ReductionSpec spec, const void* send, void* receive)
    : state_(std::make_unique<State>()) {
  state_->group = &group;
  state_->spec = std::move(spec);
  state_->send = static_cast<const std::byte*>(send);
  state_->receive = static_cast<std::byte*>(receive);
}

Allreduce::~Allreduce() = default;
Allreduce::Allreduce(Allreduce&&) noexcept = default;
Allreduce& Allreduce::operator=(Allreduce&&) noexcept = default;

Status Allreduce::run(Timeout timeout) {
  return state_->run(timeout);
}

Status allreduce(Group& group, Reduction op, DataType type, const void* send, void* receive, std::size_t count,
                 Timeout timeout) {
  auto spec = reduction(op, type, count);
  if (!spec.ok()) return std::move(spec).status();
  return Allreduce(group, *std::move(spec), send, receive).run(timeout);
}

}  // namespace polder
