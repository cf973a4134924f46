// Ranges made of others, which algorithms still go through unit by unit: the standard's take and drop, and three of our own.
//
//   reduce(a | std::views::drop(1) | std::views::take(10), 0);             // a and its views are the standard's ranges, too
//   reduce(transformed(a, [](double x) { return x * x; }), 0.0);           // nothing is stored
//   reduce(transformed(zipped(a, b), [](auto p) { return get<0>(p) * get<1>(p); }), 0.0);
//   fill(every(a, 3), 0);                                                  // elements 0, 3, 6, ...
//
// They hold what they are made of by value, as views are; containers must outlive them. The standard's other adaptors
// work, too, as iterators do: element by element, in the calling unit.
#pragma once

#include <polder/containers/view.hpp>

#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>

namespace polder::containers {

// ---- the standard's, on one dimension ----

template <class C>
requires requires(C& c) {
  c.all();
}
auto view_of(const std::ranges::ref_view<C>& range) {
  return range.base().all();
}
template <class V>
requires BoxRange<const V>
auto view_of(const std::ranges::take_view<V>& range) {
  const auto whole = view_of(range.base());
  static_assert(decltype(whole)::kDimensions == 1, "the first elements of a range of one dimension; of others: sub()");
  return whole.sub({0}, {std::size_t(range.size())});
}
template <class V>
requires BoxRange<const V>
auto view_of(const std::ranges::drop_view<V>& range) {
  const auto whole = view_of(range.base());
  static_assert(decltype(whole)::kDimensions == 1, "the last elements of a range of one dimension; of others: sub()");
  return whole.sub({whole.size() - std::size_t(range.size())}, {std::size_t(range.size())});
}

// ---- ours ----

// What at(0) to at(count - 1) return, as a range. (The standard's transform would do, but for clang before 16.)
template <class At>
class ComputedElements {
 public:
  class Iterator {
   public:
    Iterator(const At& at, std::size_t i) : at_(&at), i_(i) {}
    decltype(auto) operator*() const { return (*at_)(i_); }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    Iterator operator++(int) { return {*at_, i_++}; }
    bool operator==(const Iterator& other) const { return i_ == other.i_; }

   private:
    const At* at_;
    std::size_t i_;
  };

  ComputedElements(std::size_t count, At at) : count_(count), at_(std::move(at)) {}
  std::size_t size() const { return count_; }
  decltype(auto) operator[](std::size_t i) const { return at_(i); }
  Iterator begin() const { return {at_, 0}; }
  Iterator end() const { return {at_, count_}; }

 private:
  std::size_t count_;
  At at_;
};

// function(element) for each element of a range, computed when it is read. Indexes are the range's.
template <class Base, class F>
class TransformedRange {
 public:
  static constexpr std::size_t kDimensions = Base::kDimensions;
  using Run = ElementRun<kDimensions>;
  using value_type = std::remove_cvref_t<decltype(std::declval<const F&>()(
      *std::declval<const Base&>().elements(std::declval<const Run&>()).begin()))>;

  TransformedRange(Base base, F function) : base_(std::move(base)), function_(std::move(function)) {}

  auto& container() const { return base_.container(); }
  template <class Visit>
  void for_each_run(Rank unit, Visit&& visit) const {
    containers::for_each_run(base_, unit, visit);
  }
  auto elements(const Run& run) const {
    return ComputedElements(run.count,
                            [base = base_.elements(run), this](std::size_t i) { return function_(base[i]); });
  }

 private:
  Base base_;
  F function_;
};
template <DistributedRange R, class F>
auto transformed(R&& range, F function) {
  return TransformedRange<decltype(view_of(range)), F>(view_of(range), std::move(function));
}

// Pairs of the elements that stand at the same place of two ranges, which are boxes of arrays of one distribution over the
// same ranks.
template <class One, class Other>
class ZippedRange {
 public:
  static constexpr std::size_t kDimensions = One::kDimensions;
  using Run = ElementRun<kDimensions>;
  using value_type = std::pair<typename One::value_type, typename Other::value_type>;

  // Throws Failure: other extents, other distributions, boxes that begin elsewhere, or units that are other ranks.
  ZippedRange(One one, Other other) : one_(std::move(one)), other_(std::move(other)) {
    if (one_.box() != other_.box() ||
        !std::ranges::equal(one_.container().team().group().ranks(), other_.container().team().group().ranks()) ||
        one_.container().distribution().fingerprint() != other_.container().distribution().fingerprint())
      throw_failure(Code::invalid_argument, "zipped: elements of array '" + one_.container().name() + "' from " +
                                                to_string(one_.box().first) + ", extents " + to_string(one_.extents()) +
                                                ", do not lie where those of array '" + other_.container().name() +
                                                "' from " + to_string(other_.box().first) + ", extents " +
                                                to_string(other_.extents()) + ", do: copy one of them");
  }

  auto& container() const { return one_.container(); }
  template <class Visit>
  void for_each_run(Rank unit, Visit&& visit) const {
    containers::for_each_run(one_, unit, visit);
  }
  auto elements(const Run& run) const {
    return ComputedElements(run.count, [one = one_.elements(run), other = other_.elements(run)](std::size_t i) {
      return value_type(one[i], other[i]);
    });
  }

 private:
  One one_;
  Other other_;
};
template <BoxRange One, BoxRange Other>
auto zipped(One&& one, Other&& other) {
  return ZippedRange<decltype(view_of(one)), decltype(view_of(other))>(view_of(one), view_of(other));
}

// Of a range of one dimension, elements 0, step, 2 step, ...: each is a piece of its own.
template <class C>
class EveryRange {
 public:
  static constexpr std::size_t kDimensions = 1;
  using Run = ElementRun<1>;
  using value_type = typename C::value_type;

  // Throws Failure: a step of 0.
  EveryRange(View<C> base, std::size_t step) : base_(base), step_(step) {
    if (step == 0)
      throw_failure(Code::invalid_argument, "every: a step of 0 through array '" + base.container().name() + "'");
  }

  auto& container() const { return base_.container(); }
  std::size_t size() const { return pieces_of(base_.size(), step_); }
  template <class Visit>
  void for_each_run(Rank unit, Visit&& visit) const {
    const std::size_t origin = base_.box().first[0];
    containers::for_each_run(base_, unit, [&](const Run& run) {
      const std::size_t ahead = (run.index[0] - origin) % step_;
      for (std::size_t i = ahead == 0 ? 0 : step_ - ahead; i < run.count; i += step_)
        visit(Run{unit, run.place + i, 1, {run.index[0] + i}});
    });
  }
  auto elements(const Run& run) const { return base_.elements(run); }

 private:
  View<C> base_;
  std::size_t step_;
};
template <BoxRange R>
auto every(R&& range, std::size_t step) {
  const auto view = view_of(range);
  static_assert(decltype(view)::kDimensions == 1, "every: ranges of one dimension");
  return EveryRange(view, step);
}

}  // namespace polder::containers
