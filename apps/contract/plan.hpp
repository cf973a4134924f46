// Which blocks a rank multiplies, in which order. Each rank makes the blocks of the result that it has; each of them is a
// chain of products of a row of blocks and a column of blocks.
// Gall et al., "Optimization of Computationally and I/O Intense Patterns", 2019, section 3.1.
#pragma once

#include "block_matrix.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace contract {

// result += first x second; numbers of blocks.
struct Step {
  std::uint64_t result = 0, first = 0, second = 0;
};

struct Product {
  const BlockMatrix& first;
  const BlockMatrix& second;
  const BlockMatrix& result;
};

// Whether this rank reads blocks of that rank without fetching them.
using IsNear = std::function<bool(const BlockMatrix& matrix, polder::Rank owner)>;

// The steps of `rank`. A chain begins with what is near, so that the first blocks from afar have time to come; what is left
// begins at another place at each rank, so that not all ask the same owner at once, and every second chain goes backwards, so
// that it begins with the blocks that the last one has left here.
std::vector<Step> plan_steps(const Product& product, polder::Rank rank, polder::Rank ranks, const IsNear& is_near);

}  // namespace contract
