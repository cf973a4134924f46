// The library part: products of matrices whose blocks lie with many ranks.
//
//   const apps::Team team(runtime, 60);                               // seconds without news of a rank
//   Grid grid{.rows = {n, 256}, .columns = {n, 256}};                  // any sizes, ragged at their ends
//   auto a = BlockMatrix::create(team, apps::Number::float64, grid, distribute(Distribution::regular, grid, ranks, 0));
//   ...                                                                // b and c in the same way
//   for (std::uint64_t block : a->own_blocks()) fill(a->own(block));
//   Result<ProductNumbers> done = multiply(team, *a, *b, *c);          // c += a b
//
// With CMake: link contract_parts. gather.hpp and layout.hpp make matrices of tensors.
#pragma once

#include "block_matrix.hpp"
#include "common/progress.hpp"
#include "operand_flow.hpp"

#include <cstdint>

namespace contract {

struct ProductOptions {
  std::uint64_t buffer_bytes = std::uint64_t{256} << 20;  // of a rank, for blocks that it fetches and keeps
  apps::Progress* progress = nullptr;                     // told of the steps of this rank
};

// Of one rank.
struct ProductNumbers {
  double seconds = 0;    // from a barrier to a barrier
  double computing = 0;  // in products of blocks
  FlowNumbers flow;
};

// Collective: result += first x second, for each matrix of the batch. Each rank makes the blocks of the result that it has;
// blocks of others are read where they lie if they are on this node, else fetched while it computes. Needs no more memory
// than options.buffer_bytes, or four of the largest blocks if that is more.
//
// invalid_argument: numbers, batches or cuts do not fit each other; at all ranks. A rank that died or was silent for the
// team's patience is an error at the others, after which the result is of no use.
Result<ProductNumbers> multiply(const apps::Team& team, const BlockMatrix& first, const BlockMatrix& second,
                                BlockMatrix& result, const ProductOptions& options = {});

}  // namespace contract
