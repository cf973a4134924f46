// Stencils, what lies beyond the edges of a field, and which ghost regions both need.
#pragma once

#include <polder/containers/failure.hpp>
#include <polder/containers/index.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace polder::containers {

// From an element to another one, or an index that may lie outside of a field.
template <std::size_t N>
using Offset = std::array<std::ptrdiff_t, N>;

// The elements that an update of one reads, relative to it.
template <std::size_t N>
struct Stencil {
  std::vector<Offset<N>> points;

  // Up to `width` along each axis. Throws Failure, as box() does: it is negative.
  static Stencil star(std::ptrdiff_t width) {
    check_width(width);
    Stencil stencil{{Offset<N>{}}};
    for (std::size_t d = 0; d < N; ++d)
      for (std::ptrdiff_t i = -width; i <= width; ++i) {
        Offset<N> point{};
        point[d] = i;
        if (i != 0) stencil.points.push_back(point);
      }
    return stencil;
  }
  // All within `width` in every dimension, corners too.
  static Stencil box(std::ptrdiff_t width) {
    check_width(width);
    Stencil stencil;
    Index<N> extents;
    extents.fill(std::size_t(2 * width + 1));
    for (std::size_t at = 0; at < volume(extents); ++at) {
      Offset<N> point{};
      for (std::size_t d = 0; d < N; ++d) point[d] = std::ptrdiff_t(index_at(at, extents)[d]) - width;
      stencil.points.push_back(point);
    }
    return stencil;
  }

  // How far it reaches down and up each dimension.
  Index<N> below() const { return reach(-1); }
  Index<N> above() const { return reach(1); }

  // The sides and corners of a block (-1, 0, 1 in each dimension) beyond which it reads, without repetition.
  std::vector<Offset<N>> directions() const {
    std::vector<Offset<N>> found;
    for (const Offset<N>& point : points)
      for (std::size_t mask = 1; mask < (std::size_t{1} << N); ++mask) {
        Offset<N> direction{};
        for (std::size_t d = 0; d < N; ++d)
          if ((mask >> d & 1) != 0) direction[d] = point[d] > 0 ? 1 : point[d] < 0 ? -1 : 0;
        if (direction != Offset<N>{} && std::find(found.begin(), found.end(), direction) == found.end())
          found.push_back(direction);
      }
    return found;
  }

 private:
  static void check_width(std::ptrdiff_t width) {
    if (width < 0) throw_failure(Code::invalid_argument, "a stencil of width " + std::to_string(width));
  }
  Index<N> reach(std::ptrdiff_t sign) const {
    Index<N> most{};
    for (const Offset<N>& point : points)
      for (std::size_t d = 0; d < N; ++d)
        if (point[d] * sign > 0) most[d] = std::max(most[d], std::size_t(point[d] * sign));
    return most;
  }
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

// What an update reads beyond the edges of a field in one dimension.
enum class Edge : std::uint8_t {
  none,      // whatever lies in the ghost elements: zeros, or what the program stores there
  periodic,  // the elements of the other end
  fixed,     // `value`
  function,  // what function(index) returns; indexes lie outside, from -width on
};

template <class T, std::size_t N>
struct Boundary {
  Edge edge = Edge::none;
  T value{};
  std::function<T(const Offset<N>& index)> function = {};
};

}  // namespace polder::containers
