// What a job tells at its end.
#pragma once

#include "common/team.hpp"
#include "matrix_product.hpp"

#include <cstdint>
#include <string>

namespace contract {

struct Report {
  std::string notation, number, kernel, distribution;
  unsigned ranks = 0, threads = 0;
  std::uint64_t batches = 0, m = 0, n = 0, k = 0;
  std::uint64_t block_rows = 0, block_columns = 0, block_inner = 0;
  std::uint64_t memory = 0;                      // of a rank, at most
  double reading = 0, seconds = 0, writing = 0;  // of the slowest rank; seconds: the product
  double computing = 0, waiting = 0;             // the mean over ranks
  std::uint64_t fetched = 0, fetched_bytes = 0;  // blocks from other nodes, of all ranks
  std::uint64_t kept = 0;                        // uses of such a block that needed no fetch
  double most_computing = 0;                     // of the rank that computed longest
  std::uint64_t most_bytes = 0;                  // of the rank that fetched most
  std::uint64_t samples = 0;
  double error = 0, bound = 0;  // of the samples; what rounding allows

  double flops() const;
  bool wrong() const { return error > bound; }
};

// Collective: what `mine` says, of all ranks, into the report.
Status collect(const apps::Team& team, const ProductNumbers& mine, Report& report);

std::string to_table(const Report& report);
std::string to_json(const Report& report);

}  // namespace contract
