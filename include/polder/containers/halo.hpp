// Fields in blocks with ghost elements around them, which are brought up to date from the neighbours.
//
//   HaloField<double, 2> u(team, {1000, 1000}, Stencil<2>::star(1), {.fields = 2});
//   for (std::size_t step = 0; step < 100; ++step)
//     u.step(step % 2, 1 - step % 2, [](const auto& at) { return 0.25 * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)); });
//
// An exchange needs no barrier: a neighbour raises a flag when its ghost elements may be overwritten, and another one is
// raised behind the data. So each unit waits for its neighbours only, and may be a step ahead of those further off. Rows that are
// shorter than a line of the cache travel packed (halo_layout.hpp).
#pragma once

#include <polder/containers/cartesian.hpp>
#include <polder/containers/halo_layout.hpp>
#include <polder/containers/stencil.hpp>
#include <polder/containers/team_memory.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
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

// Construction and destruction are collective. One block a unit, on a square grid. Throws Failure: units that want other
// extents, elements, numbers of fields, stencils or periodic dimensions, the first of which is named; a unit has fewer
// elements along a dimension than the stencil reaches, a unit is gone, time is up, memory is not there. Not movable: what
// is sent is made ready once.
template <class T, std::size_t N>
class HaloField {
 public:
  HaloField(const Team& team, const Index<N>& extents, const Stencil<N>& stencil, HaloOptions<T, N> options = {})
      : team_(team),
        distribution_(blocked<N>(extents, team.units())),
        options_(std::move(options)),
        shape_{stencil.below(), stencil.above(), stencil.directions(), options_.fields, sizeof(T)},
        layout_(checked_extents(), shape_),
        memory_(team, layout_.elements() * sizeof(T), std::uint32_t(2 * shape_.directions.size()),
                "memory of field '" + options_.name + "'") {
    for (std::size_t d = 0; d < N; ++d) strides_[d] = std::ptrdiff_t(layout_.strides()[d]);
    for (std::size_t number = 0; number < shape_.directions.size(); ++number) {
      if (const auto unit = neighbour(shape_.directions[number], 1)) add_receive(number, *unit);
      if (const auto unit = neighbour(shape_.directions[number], -1)) add_send(number, *unit);
    }
  }
  HaloField(const HaloField&) = delete;
  HaloField& operator=(const HaloField&) = delete;

  const BlockCyclic<N>& distribution() const { return distribution_; }
  // The indexes of this unit's elements.
  IndexBox<N> box() const { return distribution_.block(team_.unit(), 0).box; }
  // An element of this unit, counted from its first; ghost elements by negative offsets and those beyond. Not checked.
  T& at(std::size_t field, const Offset<N>& local) { return origin(field)[place(local)]; }

  // Brings the ghost elements of these fields up to date; all fields in one exchange. Collective among neighbours, who name
  // the same fields. When it returns, the ghost elements are the neighbours' values of when they called it. Throws Failure:
  // there is no such field (nothing has happened then), a neighbour is gone, or does not come in time. An exchange that
  // fails otherwise, or that a function throws in, is not gone on with: a neighbour may still come to it, and this unit is
  // out of step (team.hpp).
  void update(std::initializer_list<std::size_t> fields) {
    start(fields);
    finish();
  }
  // The two halves of update(): between them the elements of these fields may be read, and not their ghost elements.
  // finish() waits for all of Runtime::queue(), and so throws what has failed of other operations there.
  // REQUIRES: of start(), that no exchange is under way; of finish(), that one is.
  void start(std::initializer_list<std::size_t> fields) {
    for (const std::size_t field : fields) check_field(field);
    exchange_part([&] {
      assert(!under_way_);
      moving_.assign(fields);
      under_way_ = true;
      for (const Receive& receive : receives_)
        check(runtime().notify(receive.rank, memory_.id(), {.id = receive.free_flag}, team_.timeout()), "telling",
              receive.rank);
      for (const std::size_t field : moving_) fill_edges(field);
      for (const Send& send : sends_) {
        wait_for(send.free_flag, send.rank);
        put_fields(send);
      }
    });
  }
  void finish() {
    exchange_part([&] {
      assert(under_way_);
      for (const Receive& receive : receives_) {
        wait_for(receive.data_flag, receive.rank);
        if (receive.packed)
          for (const std::size_t field : moving_) unpack(receive, field);
      }
      // What was sent lies in elements that the caller may change now.
      team_.check(runtime().queue().wait(Completion::local, team_.timeout()), [&] { return exchanging(); });
      under_way_ = false;
    });
  }

  // to[i] = function(neighbourhood of from[i]) for all elements of this unit: those that need no ghost elements while
  // these travel, the others afterwards; without `overlap` all afterwards. Errors as of update(). REQUIRES: from != to.
  template <class F>
  void step(std::size_t from, std::size_t to, F&& function, bool overlap = true) {
    assert(from != to);
    check_field(to);
    const IndexBox<N> inner = inner_box();
    start({from});
    if (overlap) exchange_part([&] { apply(inner, from, to, function); });
    finish();
    if (!overlap) return apply({{}, layout_.extents()}, from, to, function);
    // What the inner box leaves: below and above it in each dimension, as wide as it is in those before.
    IndexBox<N> rest{{}, layout_.extents()};
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
  // A ghost region of this unit that a neighbour fills.
  struct Receive {
    Rank rank;
    NotificationId data_flag, free_flag;
    Offset<N> direction;
    IndexBox<N> ghosts;
    bool packed;
    std::size_t inbox;  // elements
  };
  // A ghost region of a neighbour that is filled from here: of each field one strided transfer.
  struct Send {
    Rank rank;
    NotificationId data_flag, free_flag;
    std::size_t from;  // elements
    GlobalAddress to;  // of field 0
    std::size_t to_field_bytes;
    std::size_t row_bytes;
    std::array<std::size_t, N> counts{};
    std::array<std::ptrdiff_t, N> local{}, remote{};

    Strided shape() const {
      return {row_bytes, std::span(counts.data(), N - 1), std::span(local.data(), N - 1),
              std::span(remote.data(), N - 1)};
    }
  };

  Runtime& runtime() const { return team_.runtime(); }
  std::string exchanging() const { return "an exchange of field '" + options_.name + "'"; }
  void check_field(std::size_t field) const {
    if (field >= options_.fields) [[unlikely]]
      throw_failure(Code::invalid_argument, exchanging() + ": there is no field " + std::to_string(field) + " of " +
                                                std::to_string(options_.fields));
  }
  // Neighbours meet by flags and not by collectives of the group, but what ends early is out of step all the same: a flag
  // that comes late would be taken for one of the next exchange.
  template <class Part>
  void exchange_part(Part&& part) {
    team_.expect_in_step([&] { return exchanging(); });
    try {
      team_.own_part(part);
    } catch (...) {
      under_way_ = false;
      throw;
    }
  }
  void check(const Status& status, const char* what, Rank rank) const {
    team_.check(status, [&] { return exchanging() + ", " + what + " rank " + std::to_string(rank); });
  }
  // A unit that dies ends the wait, neighbour or not: the neighbour would not come either.
  void wait_for(NotificationId flag, Rank rank) {
    const auto found = runtime().wait_some(memory_.id(), flag, 1, team_.timeout(), {.ranks = team_.group().ranks()});
    check(found.status(), "waiting for", rank);
    check(runtime().reset(memory_.id(), flag).status(), "waiting for", rank);
  }

  // What a unit wants, for comparison.
  struct HaloWish {
    Index<N> extents;
    std::size_t fields, element, stencil;
  };
  HaloWish wish() const {
    std::vector<std::size_t> words(shape_.below.begin(), shape_.below.end());
    words.insert(words.end(), shape_.above.begin(), shape_.above.end());
    for (const Offset<N>& direction : shape_.directions)
      for (const std::ptrdiff_t step : direction) words.push_back(std::size_t(step));
    for (const Boundary<T, N>& boundary : options_.boundaries) words.push_back(boundary.edge == Edge::periodic ? 1 : 0);
    return {distribution_.extents(), options_.fields, sizeof(T), fingerprint_of(words)};
  }
  void check_agreement() const {
    const std::string name = "field '" + options_.name + "'";
    const std::vector<HaloWish> all = team_.gather(wish(), "construction of " + name);
    for (Rank unit = 1; unit < all.size(); ++unit) {
      const HaloWish &first = all[0], &other = all[unit];
      std::string differs;
      if (other.extents != first.extents)
        differs = "extents " + to_string(other.extents) + " instead of " + to_string(first.extents);
      else if (other.fields != first.fields)
        differs = std::to_string(other.fields) + " fields instead of " + std::to_string(first.fields);
      else if (other.element != first.element)
        differs = "elements of " + std::to_string(other.element) + " bytes instead of " + std::to_string(first.element);
      else if (other.stencil != first.stencil)
        differs = "another stencil, or other dimensions that are periodic";
      if (!differs.empty())
        throw_failure(Code::invalid_argument, name + ": rank " + std::to_string(team_.rank(unit)) +
                                                  " disagrees with rank " + std::to_string(team_.rank(0)) + ": " +
                                                  differs);
    }
    // Inboxes are no larger than ghost elements, of which there are no more than `padded` has.
    Index<N + 2> padded{2, options_.fields};
    constexpr std::size_t kMost = ~std::size_t{0} / 4;
    for (std::size_t d = 0; d < N; ++d)
      for (const std::size_t part : {distribution_.extents()[d], shape_.below[d], shape_.above[d]})
        padded[d + 2] += std::min(part, kMost);
    if (!bytes_of(padded, sizeof(T)))
      throw_failure(Code::out_of_memory, "memory of " + name + ": " + std::to_string(options_.fields) + " fields of " +
                                             to_string(distribution_.extents()) +
                                             " elements are more than 64 bits count");
  }

  Index<N> checked_extents() const {
    check_agreement();
    for (Rank unit = 0; unit < team_.units(); ++unit)
      for (std::size_t d = 0; d < N; ++d)
        if (const std::size_t has = distribution_.extents(unit)[d];
            has < std::max<std::size_t>({shape_.below[d], shape_.above[d], 1}))
          throw_failure(Code::invalid_argument,
                        "field '" + options_.name + "' of " + to_string(distribution_.extents()) + " elements: unit " +
                            std::to_string(unit) + " has " + std::to_string(has) + " along dimension " +
                            std::to_string(d) + ", fewer than its neighbours read");
    return distribution_.extents(team_.unit());
  }
  T* elements() const { return reinterpret_cast<T*>(memory_.data()); }
  T* origin(std::size_t field) const { return elements() + field * layout_.field() + layout_.place(shape_.below); }
  std::ptrdiff_t place(const Offset<N>& local) const {
    std::ptrdiff_t at = 0;
    for (std::size_t d = 0; d < N; ++d) at += local[d] * strides_[d];
    return at;
  }

  // In that direction, or by sign -1 on the other side.
  std::optional<Rank> neighbour(const Offset<N>& direction, std::ptrdiff_t sign) const {
    Index<N> at = index_at<N>(team_.unit(), distribution_.grid());
    for (std::size_t d = 0; d < N; ++d) {
      const std::size_t parts = distribution_.grid()[d];
      const std::ptrdiff_t step = sign * direction[d];
      const bool outside = (step < 0 && at[d] == 0) || (step > 0 && at[d] + 1 == parts);
      if (outside && options_.boundaries[d].edge != Edge::periodic) return std::nullopt;
      at[d] = (at[d] + parts + std::size_t(step)) % parts;
    }
    return Rank(position_of(at, distribution_.grid()));
  }
  static NotificationId data_flag(std::size_t number) { return NotificationId(2 * number); }
  static NotificationId free_flag(std::size_t number) { return NotificationId(2 * number + 1); }

  void add_receive(std::size_t number, Rank unit) {
    const Offset<N>& direction = shape_.directions[number];
    const bool packed = layout_.is_packed(direction);
    receives_.push_back({team_.rank(unit), data_flag(number), free_flag(number), direction, layout_.ghosts(direction),
                         packed, packed ? layout_.inbox(number) : 0});
  }
  void add_send(std::size_t number, Rank unit) {
    const Offset<N>& direction = shape_.directions[number];
    const HaloLayout<N> theirs(distribution_.extents(unit), shape_);
    const IndexBox<N> there = theirs.ghosts(direction);
    const bool packed = theirs.is_packed(direction);
    const std::size_t to = packed ? theirs.inbox(number) : theirs.place(there.first);
    Send send{team_.rank(unit),
              data_flag(number),
              free_flag(number),
              layout_.place(layout_.source(direction, there.extents).first),
              memory_.at(unit, to * sizeof(T)),
              (packed ? there.size() : theirs.field()) * sizeof(T),
              there.extents[N - 1] * sizeof(T)};
    const Index<N> remote = packed ? row_major(there.extents) : theirs.strides();
    for (std::size_t level = 0; level + 1 < N; ++level) {
      const std::size_t d = N - 2 - level;
      send.counts[level] = there.extents[d];
      send.local[level] = std::ptrdiff_t(layout_.strides()[d] * sizeof(T));
      send.remote[level] = std::ptrdiff_t(remote[d] * sizeof(T));
    }
    sends_.push_back(send);
  }

  // The flag goes with the last field.
  void put_fields(const Send& send) {
    const Strided shape = send.shape();
    for (std::size_t k = 0; k < moving_.size(); ++k) {
      const T* from = elements() + moving_[k] * layout_.field() + send.from;
      GlobalAddress to = send.to;
      to.offset += moving_[k] * send.to_field_bytes;
      check(k + 1 < moving_.size() ? runtime().put(from, to, shape, team_.timeout())
                                   : runtime().put_notify(from, to, shape, {.id = send.data_flag}, team_.timeout()),
            "a put to", send.rank);
    }
    if (moving_.empty())
      check(runtime().notify(send.rank, memory_.id(), {.id = send.data_flag}, team_.timeout()), "notifying", send.rank);
  }

  void unpack(const Receive& receive, std::size_t field) {
    const T* from = elements() + receive.inbox + field * receive.ghosts.size();
    T* const to = elements() + field * layout_.field();
    for_each_row(receive.ghosts, [&](const Index<N>& index, std::size_t length) {
      T* const row = to + layout_.place(index);
      if (length == 1)
        *row = *from;
      else
        std::copy_n(from, length, row);
      from += length;
    });
  }

  // Ghost elements beyond the field, where it has fixed values or a function there.
  void fill_edges(std::size_t field) {
    for (const Offset<N>& direction : shape_.directions) {
      if (neighbour(direction, 1)) continue;
      const Boundary<T, N>* boundary = boundary_beyond(direction);
      if (boundary == nullptr || boundary->edge == Edge::none) continue;
      const IndexBox<N> region = layout_.ghosts(direction), mine = box();
      for_each_row(region, [&](Index<N> index, std::size_t length) {
        for (std::size_t k = 0; k < length; ++k, ++index[N - 1]) {
          Offset<N> local{}, global{};
          for (std::size_t d = 0; d < N; ++d) {
            local[d] = std::ptrdiff_t(index[d]) - std::ptrdiff_t(shape_.below[d]);
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

  // The local indexes whose neighbourhoods nobody else has to fill.
  IndexBox<N> inner_box() const {
    Index<N> below{}, above{};
    for (const Receive& receive : receives_)
      for (std::size_t d = 0; d < N; ++d) {
        if (receive.direction[d] < 0) below[d] = shape_.below[d];
        if (receive.direction[d] > 0) above[d] = shape_.above[d];
      }
    IndexBox<N> inner{below, layout_.extents()};
    for (std::size_t d = 0; d < N; ++d) {
      inner.first[d] = std::min(below[d], inner.extents[d]);
      inner.extents[d] -= std::min(inner.extents[d], below[d] + above[d]);
    }
    return inner;
  }
  template <class F>
  void apply(const IndexBox<N>& local, std::size_t from, std::size_t to, F& function) {
    const Offset<N> by = strides_;
    const T* source = origin(from);
    T* target = origin(to);
    for_each_row(local, [&](const Index<N>& index, std::size_t length) {
      const std::size_t at = layout_.place(index);
      for (std::size_t k = 0; k < length; ++k) target[at + k] = function(StencilPoint<T, N>(source + at + k, by));
    });
  }

  Team team_;
  BlockCyclic<N> distribution_;
  HaloOptions<T, N> options_;
  HaloShape<N> shape_;
  HaloLayout<N> layout_;  // of this unit
  TeamMemory memory_;
  Offset<N> strides_{};
  std::vector<std::size_t> moving_;  // the fields of the exchange that is under way
  bool under_way_ = false;
  std::vector<Receive> receives_;
  std::vector<Send> sends_;
};

}  // namespace polder::containers
