// Which blocks a rank multiplies, in which order. Each rank makes the blocks of the result that it has; each of them is the sum
// of a chain of products: a row of blocks times a column of blocks.
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

// The steps of `rank`. First those whose blocks are both near, of all chains, so that the first blocks from afar have time to
// come. Then, since all blocks of the result lie here, chains go on side by side, all with their blocks of one inner place, so
// that what is fetched is used up soon and need not be kept for long; columns of blocks are walked to and fro, so that each
// row begins with what the last one has left. Each rank begins at another inner place: not all ask the same owner at once.
std::vector<Step> plan_steps(const Product& product, polder::Rank rank, polder::Rank ranks, const IsNear& is_near);

}  // namespace contract
