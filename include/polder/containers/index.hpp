// Indexes, extents and boxes of n dimensions; the last dimension is the one that lies together (row-major).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace polder::containers {

// A place in n dimensions, or how far something extends in each of them.
template <std::size_t N>
using Index = std::array<std::size_t, N>;

// How many pieces of `size` hold `count`. REQUIRES: size != 0.
constexpr std::size_t pieces_of(std::size_t count, std::size_t size) {
  return count / size + (count % size != 0 ? 1 : 0);
}

template <std::size_t N>
constexpr std::size_t volume(const Index<N>& extents) {
  std::size_t product = 1;
  for (const std::size_t extent : extents) product *= extent;
  return product;
}

// The bytes of that many elements; nothing where they are more than half of what 64 bits count.
template <std::size_t N>
constexpr std::optional<std::size_t> bytes_of(const Index<N>& extents, std::size_t element) {
  std::size_t left = ~std::size_t{0} / 2, product = element;
  if (std::find(extents.begin(), extents.end(), std::size_t{0}) != extents.end() || element == 0) return 0;
  left /= element;
  for (const std::size_t extent : extents) {
    if (extent > left) return std::nullopt;
    left /= extent;
    product *= extent;
  }
  return product;
}

// Elements between neighbours along each dimension.
template <std::size_t N>
constexpr Index<N> row_major(const Index<N>& extents) {
  Index<N> strides{};
  std::size_t stride = 1;
  for (std::size_t d = N; d-- > 0; stride *= extents[d]) strides[d] = stride;
  return strides;
}

template <std::size_t N>
constexpr std::size_t dot(const Index<N>& one, const Index<N>& other) {
  std::size_t sum = 0;
  for (std::size_t d = 0; d < N; ++d) sum += one[d] * other[d];
  return sum;
}

// The place of an index in row-major order, and back. REQUIRES: inside `extents`.
template <std::size_t N>
constexpr std::size_t position_of(const Index<N>& index, const Index<N>& extents) {
  std::size_t position = 0;
  for (std::size_t d = 0; d < N; ++d) position = position * extents[d] + index[d];
  return position;
}
template <std::size_t N>
constexpr Index<N> index_at(std::size_t position, const Index<N>& extents) {
  Index<N> index{};
  for (std::size_t d = N; d-- > 0; position /= extents[d]) index[d] = position % extents[d];
  return index;
}

template <std::size_t N>
std::string to_string(const Index<N>& index) {
  std::string text = "(";
  for (std::size_t d = 0; d < N; ++d) text += (d == 0 ? "" : ", ") + std::to_string(index[d]);
  return text + ")";
}

// A box of indexes.
template <std::size_t N>
struct IndexBox {
  Index<N> first{};
  Index<N> extents{};

  constexpr std::size_t size() const { return volume(extents); }
  constexpr bool contains(const Index<N>& index) const {
    for (std::size_t d = 0; d < N; ++d)
      if (index[d] < first[d] || index[d] - first[d] >= extents[d]) return false;
    return true;
  }
  friend constexpr bool operator==(const IndexBox&, const IndexBox&) = default;
};

// A box may reach beyond the largest index.
template <std::size_t N>
constexpr IndexBox<N> intersect(const IndexBox<N>& one, const IndexBox<N>& other) {
  IndexBox<N> both;
  for (std::size_t d = 0; d < N; ++d) {
    const std::size_t first = both.first[d] = std::max(one.first[d], other.first[d]);
    const auto left = [first, d](const IndexBox<N>& box) {
      const std::size_t before = first - box.first[d];
      return box.extents[d] > before ? box.extents[d] - before : 0;
    };
    both.extents[d] = std::min(left(one), left(other));
  }
  return both;
}

// Calls row(index, length) for each row of the box, in row-major order: `length` elements from `index` on.
template <std::size_t N, class Row>
constexpr void for_each_row(const IndexBox<N>& box, Row&& row) {
  if (box.size() == 0) return;
  Index<N> index = box.first;
  for (;;) {
    row(std::as_const(index), box.extents[N - 1]);
    std::size_t d = N - 1;
    for (; d > 0 && ++index[d - 1] == box.first[d - 1] + box.extents[d - 1]; --d) index[d - 1] = box.first[d - 1];
    if (d == 0) return;
  }
}

}  // namespace polder::containers
