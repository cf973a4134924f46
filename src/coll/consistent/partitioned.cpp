#include <polder/partitioned.hpp>

#include "coll/drive/lanes.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/progress/progress.hpp"
#include "util/assert.hpp"
#include "util/deadline.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace polder {

struct Partitioned::State {
  std::vector<std::size_t> begins;  // of parts, and the end
  std::vector<Collective> all;
  std::vector<bool> is_ready;
  std::size_t begun = 0;  // parts before it have begun in this round
  util::Clock clock;

  State(std::size_t whole, std::size_t parts) : is_ready(parts, false) {
    // part * whole / parts, which could overflow.
    for (std::size_t part = 0; part <= parts; ++part)
      begins.push_back(whole / parts * part + whole % parts * part / parts);
  }

  // `make` makes the collective of the elements from `begin` on.
  template <class Make>
  static Result<Partitioned> of(Group& group, std::size_t whole, std::size_t parts, Make&& make) {
    if (parts == 0 || parts > kMostParts)
      return Status{Code::invalid_size,
                    std::to_string(parts) + " parts; there may be 1 to " + std::to_string(kMostParts)};
    // Parts may be right where the whole is not: as long as no memory, or with one buffer in the middle of the other.
    if (auto all = make(0, whole); !all) return all.status();
    auto state = std::make_unique<State>(whole, parts);
    for (std::size_t part = 0; part < parts; ++part) {
      auto one = make(state->begins[part], state->begins[part + 1] - state->begins[part]);
      if (!one) return one.status();
      state->all.push_back(std::move(*one));
    }
    state->clock = coll::Lanes::of(group.state()).ports().progress.clock();
    return Partitioned(std::move(state));
  }

  Status begin_those_ready() {
    for (; begun < all.size() && is_ready[begun]; ++begun)
      if (Status status = all[begun].start(); !status.ok()) return status;
    return {};
  }
};

namespace {

const std::byte* at(const void* buffer, std::size_t bytes) {
  return buffer == nullptr ? nullptr : static_cast<const std::byte*>(buffer) + bytes;
}
std::byte* at(void* buffer, std::size_t bytes) {
  return buffer == nullptr ? nullptr : static_cast<std::byte*>(buffer) + bytes;
}

// Bytes of an element as it lies in the buffers.
std::size_t given_size(const ReductionSpec& spec) {
  return spec.narrow_size != 0 ? spec.narrow_size : spec.element_size;
}

}  // namespace

Partitioned::Partitioned(std::unique_ptr<State> state) : state_(std::move(state)) {}
Partitioned::~Partitioned() = default;
Partitioned::Partitioned(Partitioned&&) noexcept = default;
Partitioned& Partitioned::operator=(Partitioned&&) noexcept = default;

Result<Partitioned> Partitioned::broadcast(Group& group, Rank root, void* data, std::size_t bytes, std::size_t parts) {
  return State::of(group, bytes, parts, [&](std::size_t begin, std::size_t count) {
    return Collective::broadcast(group, root, at(data, begin), count);
  });
}

Result<Partitioned> Partitioned::reduce(Group& group, Rank root, const ReductionSpec& spec, const void* send,
                                        void* receive, std::size_t parts) {
  return State::of(group, spec.count, parts, [&](std::size_t begin, std::size_t count) {
    ReductionSpec part = spec;
    part.count = count;
    const std::size_t offset = begin * given_size(spec);
    return Collective::reduce(group, root, std::move(part), at(send, offset), at(receive, offset));
  });
}

Result<Partitioned> Partitioned::allreduce(Group& group, const ReductionSpec& spec, const void* send, void* receive,
                                           std::size_t parts) {
  return State::of(group, spec.count, parts, [&](std::size_t begin, std::size_t count) {
    ReductionSpec part = spec;
    part.count = count;
    const std::size_t offset = begin * given_size(spec);
    return Collective::allreduce(group, std::move(part), at(send, offset), at(receive, offset));
  });
}

std::size_t Partitioned::parts() const {
  return state_->all.size();
}

std::size_t Partitioned::begin_of(std::size_t part) const {
  POLDER_ASSERT(part <= parts());
  return state_->begins[part];
}

Status Partitioned::ready(std::size_t part) {
  if (part >= parts())
    return {Code::invalid_argument, "part " + std::to_string(part) + " of " + std::to_string(parts())};
  if (state_->is_ready[part])
    return {Code::invalid_argument, "part " + std::to_string(part) + " has been ready in this round"};
  state_->is_ready[part] = true;
  return state_->begin_those_ready();
}

Status Partitioned::ready_all() {
  state_->is_ready.assign(parts(), true);
  return state_->begin_those_ready();
}

bool Partitioned::test(std::size_t part) {
  POLDER_ASSERT(part < parts());
  return part < state_->begun && state_->all[part].test();
}

Status Partitioned::wait(Timeout timeout) {
  if (const auto late = std::find(state_->is_ready.begin(), state_->is_ready.end(), false);
      late != state_->is_ready.end())
    return {Code::invalid_argument,
            "waiting, and part " + std::to_string(late - state_->is_ready.begin()) + " is not ready"};
  // What could not begin when it became ready (another thread was inside).
  Status refused = state_->begin_those_ready();
  if (refused.code() == Code::busy) return refused;
  const util::Deadline deadline(timeout, state_->clock);
  Status first;
  // Where the group is broken the others have not begun, and those that have must end before the buffers are the caller's.
  for (std::size_t part = 0; part < state_->begun; ++part) {
    Status status = state_->all[part].wait(deadline.remaining());
    if (status.timed_out()) return status;
    if (first.ok()) first = std::move(status);
  }
  if (first.ok()) first = std::move(refused);
  state_->is_ready.assign(parts(), false);
  state_->begun = 0;
  return first;
}

}  // namespace polder
