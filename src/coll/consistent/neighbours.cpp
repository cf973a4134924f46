// Who exchanges with whom, and the exchanges.
#include <polder/neighbours.hpp>

#include "coll/consistent/blocking.hpp"
#include "coll/consistent/neighbour_commit.hpp"
#include "coll/consistent/neighbour_lists.hpp"

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
  return coll::commit_neighbours(*state_, timeout);
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
