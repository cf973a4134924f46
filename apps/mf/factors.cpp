#include "factors.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace mf {

void Factors::draw(std::span<const std::uint64_t> ids, std::uint64_t seed, std::uint64_t what) {
  const double scale = 0.3 / std::sqrt(double(length_));
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (unsigned k = 0; k < length_; ++k) (*this)[i][k] = scale * drawn_normal(seed ^ ids[i] << 20, what, k);
}

double product(std::span<const double> one, std::span<const double> two) {
  double sum = 0;
  for (std::size_t k = 0; k < one.size(); ++k) sum += one[k] * two[k];
  return sum;
}

void learn(std::span<const Cell> cells, Factors& users, Factors& items, const Rates& rates, std::uint64_t draw) {
  std::vector<std::uint32_t> order(cells.size());
  std::iota(order.begin(), order.end(), 0u);
  constexpr std::uint64_t kOrder = 21;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[drawn(draw, kOrder, i) % i]);
  for (const std::uint32_t which : order) {
    const Cell& cell = cells[which];
    const std::span<double> user = users[cell.user], item = items[cell.item];
    const double error = cell.value - product(user, item);
    for (std::size_t k = 0; k < user.size(); ++k) {
      const double before = user[k];
      user[k] += rates.user * (error * item[k] - rates.regularisation * user[k]);
      item[k] += rates.item * (error * before - rates.regularisation * item[k]);
    }
  }
}

double squared_error(std::span<const Cell> cells, const Factors& users, const Factors& items) {
  double sum = 0;
  for (const Cell& cell : cells) {
    const double error = cell.value - product(users[cell.user], items[cell.item]);
    sum += error * error;
  }
  return sum;
}

}  // namespace mf
