// Who exchanges with whom, and the exchanges.
#include <polder/neighbours.hpp>

#include "coll/consistent/blocking.hpp"
#include "coll/consistent/neighbour_lists.hpp"
#include "coll/port/direct_slots.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/progress/progress.hpp"
#include "util/deadline.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace polder {
namespace {

using Side = Neighbours::State::Side;

// `letters` tells for each edge its place among those between the same two members, the same at both.
template <class Letters>
Result<Side> make_side(std::span<const Rank> members, Rank size, Letters&& letters, const char* what) {
  Side side{{members.begin(), members.end()}, {}, std::vector<std::uint32_t>(size)};
  for (std::uint32_t edge = 0; edge < members.size(); ++edge) {
    if (members[edge] == kNobody) continue;
    if (members[edge] >= size)
      return Status{Code::invalid_rank, "neighbours: " + std::string(what) + " " + std::to_string(edge) +
                                            " is member " + std::to_string(members[edge]) + " of a group of " +
                                            std::to_string(size)};
    side.order.push_back(edge);
    ++side.each[members[edge]];
  }
  std::stable_sort(side.order.begin(), side.order.end(), [&](std::uint32_t one, std::uint32_t other) {
    return std::pair(members[one], letters(one)) < std::pair(members[other], letters(other));
  });
  return side;
}

template <class Letters>
Result<std::unique_ptr<Neighbours::State>> make_state(Group& group, std::span<const Rank> sources,
                                                      std::span<const Rank> destinations, Letters&& arriving) {
  const auto size = Rank(group.size());
  auto from = make_side(sources, size, arriving, "source");
  if (!from) return from.status();
  auto to = make_side(
      destinations, size, [](std::uint32_t edge) { return edge; }, "destination");
  if (!to) return to.status();
  auto state = std::make_unique<Neighbours::State>();
  state->group = &group;
  state->sources = *std::move(from);
  state->destinations = *std::move(to);
  return state;
}

// Its neighbours in one dimension, of whose places `stride` lie between one and the next.
std::pair<Rank, Rank> around(std::size_t member, const GridDimension& dimension, std::size_t stride) {
  const std::size_t place = member / stride % dimension.extent, begin = member - place * stride;
  const auto at = [&](std::size_t other) { return Rank(begin + other % dimension.extent * stride); };
  const bool first = place == 0, last = place + 1 == dimension.extent;
  return {first && !dimension.periodic ? kNobody : at(place + dimension.extent - 1),
          last && !dimension.periodic ? kNobody : at(place + 1)};
}

std::string times(std::uint32_t number) {
  return number == 1 ? "once" : std::to_string(number) + " times";
}

// What members say of each other's edges.
Status difference(const Neighbours::State& state) {
  for (Rank member = 0; member < state.group->size(); ++member) {
    const std::uint32_t sends = state.heard[2 * member], hears = state.heard[2 * member + 1];
    const std::string who = "neighbours: rank " + std::to_string(state.group->absolute(member));
    if (sends != state.sources.each[member])
      return {Code::invalid_argument, who + " names this rank as a destination " + times(sends) +
                                          ", which names it as a source " + times(state.sources.each[member])};
    if (hears != state.destinations.each[member])
      return {Code::invalid_argument, who + " names this rank as a source " + times(hears) +
                                          ", which names it as a destination " +
                                          times(state.destinations.each[member])};
  }
  return {};
}

// Goes on with a collective that every member takes part in; timeout: the same again. What failed may be begun anew.
Status run_once(std::optional<Collective>& request, Result<Collective> (*make)(Neighbours::State&),
                Neighbours::State& state, Timeout timeout) {
  if (!request) {
    auto made = make(state);
    if (!made) return made.status();
    request.emplace(*std::move(made));
  }
  Status status = request->run(timeout);
  if (!status.ok() && !status.timed_out()) request.reset();
  return status;
}

Status compare(Neighbours::State& state, Timeout timeout) {
  if (state.compared) return {};
  const auto make = [](Neighbours::State& all) {
    const std::size_t size = all.group->size();
    all.told.resize(2 * size);
    all.heard.resize(2 * size);
    for (std::size_t member = 0; member < size; ++member) {
      all.told[2 * member] = all.destinations.each[member];
      all.told[2 * member + 1] = all.sources.each[member];
    }
    return Collective::alltoall(*all.group, 8, all.told.data(), all.heard.data());
  };
  if (Status status = run_once(state.comparing, make, state, timeout); !status.ok()) return status;
  state.compared = difference(state);
  state.comparing.reset();
  state.told = state.heard = {};
  return {};
}

// Whether all of this member's edges have a slot. The slots of a group depend on its size alone.
bool has_slots(const Neighbours::State& state) {
  const auto size = Rank(state.group->size()), me = Rank(state.group->index());
  const coll::Slots slots(size);
  for (Rank member = 0; member < size; ++member)
    if (member != me && state.destinations.each[member] != 0 &&
        !coll::direct_slot(slots, size, (member + size - me) % size))
      return false;
  return true;
}

// All take the same way. In groups in which everybody has a slot for everybody nothing is asked; in others also those take
// part who have found a difference, since the rest waits for them.
Status vote(Neighbours::State& state, Timeout timeout) {
  if (state.group->size() <= coll::Slots::kNear + 1) return state.direct = true, Status();
  const auto make = [](Neighbours::State& all) {
    all.own_direct = has_slots(all) ? 1 : 0;
    return Collective::allreduce(*all.group, *reduction(Reduction::min, DataType::uint64, 1), &all.own_direct,
                                 &all.least_direct);
  };
  if (Status status = run_once(state.voting, make, state, timeout); !status.ok()) return status;
  state.direct = state.least_direct != 0;
  state.voting.reset();
  return {};
}

}  // namespace

Neighbours::Neighbours(std::unique_ptr<State> state) : state_(std::move(state)) {}
Neighbours::~Neighbours() = default;
Neighbours::Neighbours(Neighbours&&) noexcept = default;
Neighbours& Neighbours::operator=(Neighbours&&) noexcept = default;

Result<Neighbours> Neighbours::graph(Group& group, std::span<const Rank> sources, std::span<const Rank> destinations) {
  auto state = make_state(group, sources, destinations, [](std::uint32_t edge) { return edge; });
  if (!state) return state.status();
  return Neighbours(*std::move(state));
}

// What leaves by the side before arrives by the side behind.
Result<Neighbours> Neighbours::grid(Group& group, std::span<const GridDimension> dimensions) {
  std::size_t stride = group.size();
  std::vector<Rank> sides;
  for (const GridDimension& dimension : dimensions) {
    if (dimension.extent == 0 || stride % dimension.extent != 0) stride = 0;
    if (stride == 0) break;
    stride /= dimension.extent;
    const auto [before, behind] = around(group.index(), dimension, stride);
    sides.push_back(before);
    sides.push_back(behind);
  }
  if (stride != 1)
    return Status{Code::invalid_size, "neighbours: the extents of the grid do not make the " +
                                          std::to_string(group.size()) + " members of the group"};
  auto state = make_state(group, sides, sides, [](std::uint32_t edge) { return edge ^ 1; });
  if (!state) return state.status();
  return Neighbours(*std::move(state));
}

Status Neighbours::commit(Timeout timeout) {
  State& state = *state_;
  if (state.committed) return *state.committed;
  const util::Deadline deadline(timeout, state.group->state().ports().progress.clock());
  if (Status status = compare(state, deadline.remaining()); !status.ok()) return status;
  if (Status status = vote(state, deadline.remaining()); !status.ok()) return status;
  state.committed = *state.compared;
  return *state.committed;
}

bool Neighbours::committed() const {
  return state_->committed && state_->committed->ok();
}
Group& Neighbours::group() const {
  return *state_->group;
}
std::span<const Rank> Neighbours::sources() const {
  return state_->sources.members;
}
std::span<const Rank> Neighbours::destinations() const {
  return state_->destinations.members;
}

// ---- blocking ----

Status neighbour_alltoallw(const Neighbours& neighbours, const void* send, std::span<const StridedPart> sent,
                           void* receive, std::span<const StridedPart> received, Timeout timeout) {
  const auto lists = coll::neighbour_lists(neighbours, send, sent, receive, received);
  if (!lists) return lists.status();
  return coll::run_blocking(neighbours.group(), (*lists)->arguments, timeout);
}
Status neighbour_alltoallv(const Neighbours& neighbours, const void* send, std::span<const Part> sent, void* receive,
                           std::span<const Part> received, Timeout timeout) {
  return neighbour_alltoallw(neighbours, send, coll::as_blocks(sent), receive, coll::as_blocks(received), timeout);
}
Status neighbour_alltoall(const Neighbours& neighbours, std::size_t bytes, const void* send, void* receive,
                          Timeout timeout) {
  return neighbour_alltoallw(neighbours, send, coll::in_a_row(neighbours.destinations().size(), bytes), receive,
                             coll::in_a_row(neighbours.sources().size(), bytes), timeout);
}
Status neighbour_allgatherv(const Neighbours& neighbours, std::size_t bytes, const void* send, void* receive,
                            std::span<const Part> received, Timeout timeout) {
  return neighbour_alltoallw(neighbours, send, coll::all_the_same(neighbours.destinations().size(), bytes), receive,
                             coll::as_blocks(received), timeout);
}
Status neighbour_allgather(const Neighbours& neighbours, std::size_t bytes, const void* send, void* receive,
                           Timeout timeout) {
  return neighbour_alltoallw(neighbours, send, coll::all_the_same(neighbours.destinations().size(), bytes), receive,
                             coll::in_a_row(neighbours.sources().size(), bytes), timeout);
}

}  // namespace polder
