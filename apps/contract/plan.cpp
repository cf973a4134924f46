#include "plan.hpp"

#include <algorithm>
#include <array>

namespace contract {
namespace {

// The products of one block of the result, the nearest first.
std::vector<Step> chain_of(const Product& product, std::uint64_t result, std::uint64_t start, bool backwards,
                           const IsNear& is_near) {
  const BlockPlace at = product.result.grid().place(result);
  const std::uint64_t length = product.first.grid().columns.count();
  std::array<std::vector<Step>, 3> by_distance;
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::uint64_t k = (start + i) % length;
    const Step step{result, product.first.grid().number({at.batch, at.row, k}),
                    product.second.grid().number({at.batch, k, at.column})};
    const unsigned far = unsigned(!is_near(product.first, product.first.owner(step.first))) +
                         unsigned(!is_near(product.second, product.second.owner(step.second)));
    by_distance[far].push_back(step);
  }
  std::vector<Step> chain;
  for (std::vector<Step>& steps : by_distance) {
    if (backwards) std::ranges::reverse(steps);
    chain.insert(chain.end(), steps.begin(), steps.end());
  }
  return chain;
}

}  // namespace

std::vector<Step> plan_steps(const Product& product, polder::Rank rank, polder::Rank ranks, const IsNear& is_near) {
  const std::uint64_t start = product.first.grid().columns.count() * rank / ranks;
  std::vector<Step> steps;
  bool backwards = false;
  for (const std::uint64_t result : product.result.own_blocks()) {
    const std::vector<Step> chain = chain_of(product, result, start, backwards, is_near);
    steps.insert(steps.end(), chain.begin(), chain.end());
    backwards = !backwards;
  }
  return steps;
}

}  // namespace contract
