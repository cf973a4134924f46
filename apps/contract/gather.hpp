// From tensors to blocks of matrices and back.
#pragma once

#include "block_matrix.hpp"
#include "common/file.hpp"
#include "layout.hpp"
#include "tensor.hpp"

#include <complex>
#include <cstdint>

namespace contract {

// Fills the blocks that this rank has. With `finite`, an element that is infinite or not a number is refused with its index.
Status gather_blocks(const Tensor& tensor, const MatrixView& view, bool finite, const BlockMatrix& matrix);

// Writes the blocks that this rank has to their places in a tensor that begins at byte `at` of the file, in runs as long as
// the order of its indices allows.
Status scatter_blocks(const BlockMatrix& matrix, const MatrixView& view, const apps::File& file, std::uint64_t at);

// The largest relative error, |x - y| / sum |a b|, of `samples` elements of this rank's blocks, drawn from the seed, whose
// sums are made again from the operands in double precision; infinity where an element is not finite, although its operands are.
// O(samples x k).
double sampled_error(const Tensor& first, const Tensor& second, const Layout& layout, const BlockMatrix& result,
                     std::uint64_t samples, std::uint64_t seed);

// The relative error that sums of `length` products may have by rounding, in these numbers.
double rounding_bound(apps::Number number, std::uint64_t length);

}  // namespace contract
