// Fields in blocks with ghost elements around them, which are brought up to date from the neighbours.
//
//   HaloField<double, 2> u(team, {1000, 1000}, Stencil<2>::star(1), {.fields = 2});
//   for (std::size_t step = 0; step < 100; ++step)
//     u.step(step % 2, 1 - step % 2, [](const auto& at) { return 0.25 * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)); });
//
// An exchange needs no barrier: a neighbour raises a flag when its ghost elements may be overwritten, and another one is
// raised behind the data. So each unit waits for its neighbours only, and may be a step ahead of those further off.
#pragma once

#include <polder/containers/cartesian.hpp>
#include <polder/containers/stencil.hpp>
#include <polder/containers/team_memory.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace polder::containers {

template <class T, std::size_t N>
struct HaloOptions {
  std::string name = "unnamed";  // for errors
  std::size_t fields = 1;        // of the same extents
  std::array<Boundary<T, N>, N> boundaries = {};
};

// An element with its neighbourhood, as an update sees it: at(0, -1) is the element before it in the last dimension.
template <class T, std::size_t N>
class StencilPoint {
 public:
  StencilPoint(const T* element, const Offset<N>& strides) : element_(element), strides_(&strides) {}
  template <class... Is>
  requires(sizeof...(Is) == N) const T& operator()(Is... is) const { return (*this)[Offset<N>{std::ptrdiff_t(is)...}]; }
  const T& operator[](const Offset<N>& offset) const {
    std::ptrdiff_t at = offset[N - 1];  // its stride is 1: so neighbours are loaded as vectors
    for (std::size_t d = 0; d + 1 < N; ++d) at += offset[d] * (*strides_)[d];
    return element_[at];
  }

 private:
  const T* element_;
  const Offset<N>* strides_;
};

// Construction and destruction are collective. One block a unit, on a square grid. Throws Failure: a unit has fewer
// elements along a dimension than the stencil reaches, a unit is gone, time is up, memory is not there.
template <class T, std::size_t N>
class HaloField {
 public:
  HaloField(const Team& team, const Index<N>& extents, const Stencil<N>& stencil, HaloOptions<T, N> options = {})
      : team_(team),
        distribution_(blocked<N>(extents, team.units())),
        options_(std::move(options)),
        below_(stencil.below()),
        above_(stencil.above()),
        directions_(stencil.directions()),
        memory_(team, checked_bytes(), std::uint32_t(2 * directions_.size()),
                "memory of field '" + options_.name + "'") {
    for (std::size_t number = 0; number < directions_.size(); ++number) find_neighbours(number);
  }

  const BlockCyclic<N>& distribution() const { return distribution_; }
  // The indexes of this unit's elements.
  IndexBox<N> box() const { return distribution_.block(team_.unit(), 0).box; }
  // An element of this unit, counted from its first; ghost elements by negative offsets and those beyond.
  T& at(std::size_t field, const Offset<N>& local) { return origin(field)[place(local)]; }

  // Brings the ghost elements of these fields up to date; all fields in one exchange. Collective among neighbours. When
  // it returns, the ghost elements are the neighbours' values of when they called it.
  void update(std::initializer_list<std::size_t> fields) {
    start(fields);
    finish();
  }
  // The two halves of update(): between them the elements of these fields may be read, and not their ghost elements.
  // Failure of either: a neighbour is gone or does not come; the exchange cannot be gone on with.
  void start(std::initializer_list<std::size_t> fields) {
    for (const Link& link : receives_)
      check(runtime().notify(link.rank, memory_.id(), {.id = link.free_flag}, team_.timeout()), "telling", link.rank);
    for (const std::size_t field : fields) fill_edges(field);
    for (const Link& link : sends_) {
      wait_for(link.free_flag, link.rank);
      for (const std::size_t field : fields) send(link, field);
      check(runtime().notify(link.rank, memory_.id(), {.id = link.data_flag}, team_.timeout()), "notifying", link.rank);
    }
  }
  void finish() {
    for (const Link& link : receives_) wait_for(link.data_flag, link.rank);
    // What was sent lies in elements that the caller may change now.
    team_.check(runtime().queue().wait(Completion::local, team_.timeout()),
                "an exchange of field '" + options_.name + "'");
  }

  // to[i] = function(neighbourhood of from[i]) for all elements of this unit: those that need no ghost elements while
  // these travel, the others afterwards; without `overlap` all afterwards. REQUIRES: from != to.
  template <class F>
  void step(std::size_t from, std::size_t to, F&& function, bool overlap = true) {
    const IndexBox<N> inner = inner_box();
    start({from});
    if (!overlap) {
      finish();
      return apply({{}, distribution_.extents(team_.unit())}, from, to, function);
    }
    apply(inner, from, to, function);
    finish();
    // What the inner box leaves: below and above it in each dimension, as wide as it is in those before.
    IndexBox<N> rest{{}, distribution_.extents(team_.unit())};
    for (std::size_t d = 0; d < N; ++d) {
      IndexBox<N> slab = rest;
      slab.extents[d] = inner.first[d];
      apply(slab, from, to, function);
      slab.first[d] = inner.first[d] + inner.extents[d];
      slab.extents[d] = rest.extents[d] - slab.first[d];
      apply(slab, from, to, function);
      rest.first[d] = inner.first[d];
      rest.extents[d] = inner.extents[d];
    }
  }

 private:
  // A neighbour on the other side of a ghost region.
  struct Link {
    Rank unit, rank;
    Offset<N> direction;  // of the ghost region at the unit that has it
    NotificationId data_flag, free_flag;
  };

  Runtime& runtime() const { return team_.runtime(); }
  void check(const Status& status, const char* what, Rank rank) const {
    if (!status.ok()) [[unlikely]]
      team_.check(status, "an exchange of field '" + options_.name + "', " + what + " rank " + std::to_string(rank));
  }
  // Who dies ends the wait, neighbour or not: the neighbour would not come either.
  void wait_for(NotificationId flag, Rank rank) {
    const auto found = runtime().wait_some(memory_.id(), flag, 1, team_.timeout(), {.ranks = team_.group().ranks()});
    check(found.status(), "waiting for", rank);
    check(runtime().reset(memory_.id(), flag).status(), "waiting for", rank);
  }

  std::size_t checked_bytes() const {
    for (Rank unit = 0; unit < team_.units(); ++unit)
      for (std::size_t d = 0; d < N; ++d)
        if (const std::size_t has = distribution_.extents(unit)[d];
            has < std::max<std::size_t>({below_[d], above_[d], 1}))
          throw_failure(Code::invalid_argument,
                        "field '" + options_.name + "' of " + to_string(distribution_.extents()) + " elements: unit " +
                            std::to_string(unit) + " has " + std::to_string(has) + " along dimension " +
                            std::to_string(d) + ", fewer than its neighbours read");
    return options_.fields * volume(padded(team_.unit())) * sizeof(T);
  }
  Index<N> padded(Rank unit) const {
    Index<N> extents = distribution_.extents(unit);
    for (std::size_t d = 0; d < N; ++d) extents[d] += below_[d] + above_[d];
    return extents;
  }
  Offset<N> strides() const {
    Offset<N> signed_strides{};
    const Index<N> strides = row_major(padded(team_.unit()));
    for (std::size_t d = 0; d < N; ++d) signed_strides[d] = std::ptrdiff_t(strides[d]);
    return signed_strides;
  }
  std::ptrdiff_t place(const Offset<N>& local) const {
    std::ptrdiff_t at = 0;
    const Offset<N> by = strides();
    for (std::size_t d = 0; d < N; ++d) at += local[d] * by[d];
    return at;
  }
  T* origin(std::size_t field) const {
    const Index<N> extents = padded(team_.unit());
    return reinterpret_cast<T*>(memory_.data()) + field * volume(extents) + dot(below_, row_major(extents));
  }

  // Of ghost region `number`: where this unit's comes from, and which neighbour's is filled from here.
  void find_neighbours(std::size_t number) {
    const Offset<N>& direction = directions_[number];
    Offset<N> back = direction;
    for (std::ptrdiff_t& sign : back) sign = -sign;
    const auto data = NotificationId(2 * number), free = NotificationId(2 * number + 1);
    if (const auto unit = neighbour(direction)) receives_.push_back({*unit, team_.rank(*unit), direction, data, free});
    if (const auto unit = neighbour(back)) sends_.push_back({*unit, team_.rank(*unit), direction, data, free});
  }
  std::optional<Rank> neighbour(const Offset<N>& direction) const {
    Index<N> at = index_at<N>(team_.unit(), distribution_.grid());
    for (std::size_t d = 0; d < N; ++d) {
      const std::size_t parts = distribution_.grid()[d];
      const bool outside = (direction[d] < 0 && at[d] == 0) || (direction[d] > 0 && at[d] + 1 == parts);
      if (outside && options_.boundaries[d].edge != Edge::periodic) return std::nullopt;
      at[d] = (at[d] + parts + std::size_t(direction[d])) % parts;
    }
    return Rank(position_of(at, distribution_.grid()));
  }

  // The ghost region of `unit` in a direction, in its padded array.
  IndexBox<N> ghosts(Rank unit, const Offset<N>& direction) const {
    const Index<N> extents = distribution_.extents(unit);
    IndexBox<N> region{below_, extents};
    for (std::size_t d = 0; d < N; ++d) {
      if (direction[d] < 0) region.first[d] = 0;
      if (direction[d] > 0) region.first[d] = below_[d] + extents[d];
      if (direction[d] != 0) region.extents[d] = direction[d] < 0 ? below_[d] : above_[d];
    }
    return region;
  }

  // One strided transfer: this unit's elements at the side away from `direction` fill the neighbour's ghost region.
  void send(const Link& link, std::size_t field) {
    const IndexBox<N> there = ghosts(link.unit, link.direction);
    const Index<N> mine = padded(team_.unit()), theirs = padded(link.unit);
    const Index<N> extents = distribution_.extents(team_.unit());
    Index<N> first = below_;
    for (std::size_t d = 0; d < N; ++d)
      if (link.direction[d] < 0) first[d] += extents[d] - there.extents[d];
    std::array<std::size_t, N> counts{};
    std::array<std::ptrdiff_t, N> local{}, remote{};
    for (std::size_t level = 0; level + 1 < N; ++level) {
      const std::size_t d = N - 2 - level;
      counts[level] = there.extents[d];
      local[level] = std::ptrdiff_t(row_major(mine)[d] * sizeof(T));
      remote[level] = std::ptrdiff_t(row_major(theirs)[d] * sizeof(T));
    }
    const Strided shape{there.extents[N - 1] * sizeof(T), std::span(counts.data(), N - 1),
                        std::span(local.data(), N - 1), std::span(remote.data(), N - 1)};
    const T* from = reinterpret_cast<const T*>(memory_.data()) + field * volume(mine) + dot(first, row_major(mine));
    const std::size_t to = field * volume(theirs) + dot(there.first, row_major(theirs));
    check(runtime().put(from, memory_.at(link.unit, to * sizeof(T)), shape, team_.timeout()), "a put to", link.rank);
  }

  // Ghost elements beyond the field, where it has fixed values or a function there.
  void fill_edges(std::size_t field) {
    for (const Offset<N>& direction : directions_) {
      if (neighbour(direction)) continue;
      const Boundary<T, N>* boundary = boundary_beyond(direction);
      if (boundary == nullptr || boundary->edge == Edge::none) continue;
      const IndexBox<N> region = ghosts(team_.unit(), direction), mine = box();
      for_each_row(region, [&](Index<N> index, std::size_t length) {
        for (std::size_t k = 0; k < length; ++k, ++index[N - 1]) {
          Offset<N> local{}, global{};
          for (std::size_t d = 0; d < N; ++d) {
            local[d] = std::ptrdiff_t(index[d]) - std::ptrdiff_t(below_[d]);
            global[d] = local[d] + std::ptrdiff_t(mine.first[d]);
          }
          at(field, local) = boundary->edge == Edge::fixed ? boundary->value : boundary->function(global);
        }
      });
    }
  }
  // The first dimension in which the direction leads out of the field decides.
  const Boundary<T, N>* boundary_beyond(const Offset<N>& direction) const {
    const Index<N> at = index_at<N>(team_.unit(), distribution_.grid());
    for (std::size_t d = 0; d < N; ++d) {
      const bool outside =
          (direction[d] < 0 && at[d] == 0) || (direction[d] > 0 && at[d] + 1 == distribution_.grid()[d]);
      if (outside && options_.boundaries[d].edge != Edge::periodic) return &options_.boundaries[d];
    }
    return nullptr;
  }

  // The local indexes whose neighbourhoods are this unit's own.
  IndexBox<N> inner_box() const {
    IndexBox<N> inner{below_, distribution_.extents(team_.unit())};
    for (std::size_t d = 0; d < N; ++d) {
      const std::size_t ghosts = below_[d] + above_[d];
      inner.first[d] = std::min(below_[d], inner.extents[d]);
      inner.extents[d] = inner.extents[d] > ghosts ? inner.extents[d] - ghosts : 0;
    }
    return inner;
  }
  template <class F>
  void apply(const IndexBox<N>& local, std::size_t from, std::size_t to, F& function) {
    const Offset<N> by = strides();
    const T* source = origin(from);
    T* target = origin(to);
    for_each_row(local, [&](const Index<N>& index, std::size_t length) {
      Offset<N> start{};
      for (std::size_t d = 0; d < N; ++d) start[d] = std::ptrdiff_t(index[d]);
      const std::ptrdiff_t at = place(start);
      for (std::size_t k = 0; k < length; ++k)
        target[at + std::ptrdiff_t(k)] = function(StencilPoint<T, N>(source + at + k, by));
    });
  }

  Team team_;
  BlockCyclic<N> distribution_;
  HaloOptions<T, N> options_;
  Index<N> below_, above_;
  std::vector<Offset<N>> directions_;
  TeamMemory memory_;
  std::vector<Link> receives_, sends_;
};

}  // namespace polder::containers
