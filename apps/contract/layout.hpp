// A contraction as products of matrices: which indices of the tensors number rows, columns and what is summed over, and where
// in each tensor an element of a matrix lies. So no tensor is ever transposed as a whole: blocks are, when they are
// gathered and scattered.
// D. Matthews, "High-performance tensor contraction without transposition", 2018, calls these scatter vectors.
#pragma once

#include "common/npy.hpp"
#include "notation.hpp"

#include <cstdint>
#include <vector>

namespace contract {

// An index: its extent, and how many elements further its next value lies in a tensor; 0: the tensor does not have it.
struct Axis {
  std::uint64_t extent = 1;
  std::uint64_t stride = 0;
};

// Several indices counted as one, the last one fastest.
class Axes {
 public:
  Axes() = default;
  explicit Axes(std::vector<Axis> axes);

  std::uint64_t extent() const { return extent_; }
  // Where value `at` lies, in elements from the first.
  std::uint64_t place(std::uint64_t at) const;
  // Of `count` values from `first` on. O(count + axes).
  std::vector<std::uint64_t> places(std::uint64_t first, std::uint64_t count) const;

 private:
  std::vector<Axis> axes_;
  std::uint64_t extent_ = 1;
};

// A tensor as one matrix for each value of the batch.
struct MatrixView {
  Axes batch, rows, columns;
};

struct TensorShape {
  apps::Shape shape;
  bool column_major = false;
};

struct Layout {
  apps::Shape result;             // its shape, row-major
  MatrixView first, second, out;  // batch x (m x k), batch x (k x n), batch x (m x n)
};

// Refuses operands that do not fit the notation or each other, with a sentence that names the index, and tensors and matrices of
// more elements than can be numbered.
Result<Layout> lay_out(const Notation& notation, const TensorShape& first, const TensorShape& second);

}  // namespace contract
