// Iterators over the elements of containers and views.
#pragma once

#include <polder/containers/failure.hpp>
#include <polder/containers/index.hpp>

#include <cassert>
#include <compare>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

namespace polder::containers {

// A position in a box of a container's indexes, in row-major order. A random access iterator of the standard's, whose
// references are objects (as those of std::vector<bool> are). Reading one costs a few divisions a dimension, and a get where
// the element lies elsewhere: for loops over many, copy them or let an algorithm go to them.
template <class C>
class ElementIterator {
 public:
  using Box = IndexBox<C::kDimensions>;
  using reference = decltype(std::declval<C&>().at({}));
  using value_type = typename reference::value_type;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;

  ElementIterator() = default;
  ElementIterator(C& container, const Box& box, std::size_t position)
      : container_(&container), box_(box), position_(position) {}

  // Throws Failure: it stands outside of its range.
  reference operator*() const {
    if (position_ >= box_.size()) [[unlikely]]
      throw_failure(Code::invalid_argument, "array '" + container_->name() + "': an iterator stands at element " +
                                                std::to_string(position_) + " of a range of " +
                                                std::to_string(box_.size()));
    return container_->at(index());
  }
  reference operator[](difference_type n) const { return *(*this + n); }
  std::size_t position() const { return position_; }
  // In the container.
  Index<C::kDimensions> index() const {
    Index<C::kDimensions> index = index_at(position_, box_.extents);
    for (std::size_t d = 0; d < index.size(); ++d) index[d] += box_.first[d];
    return index;
  }

  ElementIterator& operator+=(difference_type n) {
    position_ += std::size_t(n);
    return *this;
  }
  ElementIterator& operator-=(difference_type n) { return *this += -n; }
  ElementIterator& operator++() { return *this += 1; }
  ElementIterator& operator--() { return *this -= 1; }
  ElementIterator operator++(int) {
    const ElementIterator old = *this;
    ++*this;
    return old;
  }
  ElementIterator operator--(int) {
    const ElementIterator old = *this;
    --*this;
    return old;
  }
  friend ElementIterator operator+(ElementIterator it, difference_type n) { return it += n; }
  friend ElementIterator operator+(difference_type n, ElementIterator it) { return it += n; }
  friend ElementIterator operator-(ElementIterator it, difference_type n) { return it -= n; }
  friend difference_type operator-(const ElementIterator& one, const ElementIterator& other) {
    return difference_type(one.position_ - other.position_);
  }
  // REQUIRES: of one container.
  friend bool operator==(const ElementIterator& one, const ElementIterator& other) {
    assert(one.container_ == other.container_);
    return one.position_ == other.position_;
  }
  friend auto operator<=>(const ElementIterator& one, const ElementIterator& other) {
    return one.position_ <=> other.position_;
  }

 private:
  C* container_ = nullptr;
  Box box_{};
  std::size_t position_ = 0;
};

}  // namespace polder::containers
