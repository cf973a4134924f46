#include "plan.hpp"

#include <algorithm>

namespace contract {
namespace {

using Row = std::vector<std::uint64_t>;

// The blocks of the result that this rank has, row by row.
std::vector<Row> rows_of(const BlockMatrix& result) {
  const std::uint64_t columns = result.grid().columns.count();
  std::vector<Row> rows;
  for (const std::uint64_t block : result.own_blocks()) {
    if (rows.empty() || rows.back().front() / columns != block / columns) rows.emplace_back();
    rows.back().push_back(block);
  }
  return rows;
}

}  // namespace

std::vector<Step> plan_steps(const Product& product, polder::Rank rank, polder::Rank ranks, const IsNear& is_near) {
  const std::uint64_t length = product.first.grid().columns.count();
  std::vector<Row> rows = rows_of(product.result);
  std::vector<Step> near, far;
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::uint64_t k = (length * rank / ranks + i) % length;
    for (Row& row : rows) {
      for (const std::uint64_t result : row) {
        const BlockPlace at = product.result.grid().place(result);
        const Step step{result, product.first.grid().number({at.batch, at.row, k}),
                        product.second.grid().number({at.batch, k, at.column})};
        const bool here = is_near(product.first, product.first.owner(step.first)) &&
                          is_near(product.second, product.second.owner(step.second));
        (here ? near : far).push_back(step);
      }
      std::ranges::reverse(row);
    }
  }
  near.insert(near.end(), far.begin(), far.end());
  return near;
}

}  // namespace contract
