// Arrays of n dimensions whose elements lie at the units of a team, as a distribution says.
//
//   Matrix<double, 2> a(team, {1000, 300}, {.name = "a"});     // one block a unit
//   a(3, 5) = 1.5;                                             // wherever it lies
//   for (double& x : a.local()) x *= 2;                        // this unit's, as plain memory
//   Array<int, Irregular> rows(team, Irregular(sizes));
#pragma once

#include <polder/containers/cartesian.hpp>
#include <polder/containers/element.hpp>
#include <polder/containers/team_memory.hpp>
#include <polder/containers/view.hpp>

#include <span>
#include <string>
#include <utility>

namespace polder::containers {

struct ContainerOptions {
  std::string name = "unnamed";     // for errors
  std::uint32_t notifications = 0;  // flags beside the memory of each unit
};

// Collective construction: the members say what they want, and the first that disagrees with unit 0 is named. T travels as bytes.
// Elements are zero bytes at first. Move only; the team's group and runtime must outlive it. Destruction is collective as
// of TeamMemory: units meet, and wait for each other as long as the team does.
//
// Access from several threads and units follows the rules of memory: no two at a time where one of them writes (see
// Atomic). Throws Failure: a unit is gone, time is up, memory is not there, an index lies outside.
template <class T, std::size_t N, Distribution D = BlockCyclic<N>>
class Matrix {
 public:
  static_assert(std::is_trivially_copyable_v<T>, "elements travel as bytes: they must be trivially copyable");
  static_assert(D::kDimensions == N, "the distribution has another number of dimensions than the container");
  using value_type = T;
  using distribution_type = D;
  static constexpr std::size_t kDimensions = N;

  Matrix(const Team& team, D distribution, ContainerOptions options = {})
      : team_(team),
        distribution_(std::move(distribution)),
        name_(std::move(options.name)),
        memory_(team_, agreed_bytes(), options.notifications, "memory of array '" + name_ + "'") {
    local_ = {reinterpret_cast<T*>(memory_.data()), distribution_.capacity(team.unit())};
  }
  // One block a unit, on a grid that is as square as may be.
  Matrix(const Team& team, const Index<N>& extents,
         ContainerOptions options = {}) requires std::same_as<D, BlockCyclic<N>>
      : Matrix(team, blocked<N>(extents, team.units()), std::move(options)) {}

  const Team& team() const { return team_; }
  const D& distribution() const { return distribution_; }
  Index<N> extents() const { return distribution_.extents(); }
  std::size_t size() const { return volume(extents()); }
  const std::string& name() const { return name_; }

  // The memory of this unit: elements in the order of local_index(), padding included where D is not dense.
  std::span<T> local() { return local_; }
  std::span<const T> local() const { return local_; }

  // A reference to any element. operator() checks where NDEBUG is not defined or POLDER_CHECKED is, at() always: Failure
  // (invalid_argument) names array, index, extents and rank.
  Element<T> at(const Index<N>& index) {
    check(index);
    return element(index);
  }
  Element<const T> at(const Index<N>& index) const {
    check(index);
    return element(index);
  }
  template <std::convertible_to<std::size_t>... Is>
  requires(sizeof...(Is) == N) Element<T>
  operator()(Is... is) { return access({std::size_t(is)...}); }
  template <std::convertible_to<std::size_t>... Is>
  requires(sizeof...(Is) == N) Element<const T>
  operator()(Is... is) const {
    const Index<N> index{std::size_t(is)...};
    if constexpr (kChecked) check(index);
    return element(index);
  }
  Element<T> operator[](std::size_t i) requires(N == 1) { return access({i}); }
  Element<const T> operator[](std::size_t i) const requires(N == 1) { return (*this)(i); }

  // Where an element of `unit` lies, by its place in that unit's memory.
  GlobalPointer<T> pointer(Rank unit, std::size_t place) const {
    return GlobalPointer<T>(memory_.at(unit, place * sizeof(T)));
  }
  GlobalPointer<T> pointer(const Index<N>& index) const {
    return pointer(distribution_.unit_of(index), distribution_.local_index(index));
  }
  SegmentId segment_id() const { return memory_.id(); }

  // ---- views (view.hpp) ----
  View<Matrix> all() { return {*this, {{}, extents()}}; }
  View<const Matrix> all() const { return {*this, {{}, extents()}}; }
  // `extents` elements from `first` on. Failure: it reaches outside.
  View<Matrix> sub(const Index<N>& first, const Index<N>& extents) { return {*this, checked({first, extents})}; }
  View<const Matrix> sub(const Index<N>& first, const Index<N>& extents) const {
    return {*this, checked({first, extents})};
  }
  // A block of a unit, by its number there.
  View<Matrix> block(Rank unit, std::size_t number) {
    if (unit >= team_.units() || number >= distribution_.blocks(unit).size())
      throw_failure(Code::invalid_argument, "array '" + name_ + "': unit " + std::to_string(unit) + " has no block " +
                                                std::to_string(number) + told());
    return {*this, distribution_.block(unit, number).box};
  }

  auto begin() { return all().begin(); }
  auto end() { return all().end(); }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }

 private:
#if !defined(NDEBUG) || defined(POLDER_CHECKED)
  static constexpr bool kChecked = true;
#else
  static constexpr bool kChecked = false;
#endif

  // What a unit wants, for comparison.
  struct Wish {
    Index<N> extents;
    std::size_t element, units, distribution;
  };

  std::string told() const {
    return ", extents " + to_string(extents()) + ", at rank " + std::to_string(team_.runtime().rank());
  }
  void check(const Index<N>& index) const {
    if (!IndexBox<N>{{}, extents()}.contains(index)) [[unlikely]]
      throw_failure(Code::invalid_argument,
                    "array '" + name_ + "': index " + to_string(index) + " lies outside" + told());
  }
  IndexBox<N> checked(const IndexBox<N>& box) const {
    for (std::size_t d = 0; d < N; ++d)
      if (box.first[d] > extents()[d] || box.extents[d] > extents()[d] - box.first[d])
        throw_failure(Code::invalid_argument, "array '" + name_ + "': a view of " + to_string(box.extents) + " from " +
                                                  to_string(box.first) + " lies outside" + told());
    return box;
  }
  Element<T> access(const Index<N>& index) {
    if constexpr (kChecked) check(index);
    return element(index);
  }
  Element<T> element(const Index<N>& index) const {
    return {team_, pointer(index)};
  }

  // This unit's bytes, once all units want the same array.
  std::size_t agreed_bytes() const {
    const Wish mine{extents(), sizeof(T), distribution_.units(), distribution_.fingerprint()};
    const std::vector<Wish> all = team_.gather(mine, "construction of array '" + name_ + "'");
    for (Rank unit = 1; unit < all.size(); ++unit) {
      const std::string differs = difference(all[0], all[unit]);
      if (!differs.empty())
        throw_failure(Code::invalid_argument, "array '" + name_ + "': rank " + std::to_string(team_.rank(unit)) +
                                                  " disagrees with rank " + std::to_string(team_.rank(0)) + ": " +
                                                  differs);
    }
    if (distribution_.units() != team_.units())
      throw_failure(Code::invalid_argument, "array '" + name_ + "': distributed over " +
                                                std::to_string(distribution_.units()) + " units, the team has " +
                                                std::to_string(team_.units()) + told());
    if (!bytes_of(extents(), sizeof(T)))
      throw_failure(Code::out_of_memory, "memory of array '" + name_ + "': elements of " + std::to_string(sizeof(T)) +
                                             " bytes are more than 64 bits count" + told());
    // With padding it may be more even so: then nobody has the memory.
    return bytes_of<1>({distribution_.capacity(team_.unit())}, sizeof(T)).value_or(~std::size_t{0} / 4);
  }
  static std::string difference(const Wish& first, const Wish& other) {
    if (other.extents != first.extents)
      return "extents " + to_string(other.extents) + " instead of " + to_string(first.extents);
    if (other.element != first.element)
      return "elements of " + std::to_string(other.element) + " bytes instead of " + std::to_string(first.element);
    if (other.units != first.units)
      return "distributed over " + std::to_string(other.units) + " units instead of " + std::to_string(first.units);
    return other.distribution != first.distribution ? "another distribution of the same extents" : "";
  }

  Team team_;
  D distribution_;
  std::string name_;
  TeamMemory memory_;
  std::span<T> local_;
};

template <class T, Distribution D = BlockCyclic<1>>
using Array = Matrix<T, 1, D>;

}  // namespace polder::containers
