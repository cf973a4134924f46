#include "partition.hpp"

#include "morton.hpp"

#include <algorithm>

namespace fmm {
namespace {

constexpr double kNegligible = 1e-3;  // of a rank's share

class CutSearch {
 public:
  CutSearch(const Team& team, std::span<const KeyedIndex> sorted, std::span<const double> weights)
      : team_(team), sorted_(sorted), sums_(sorted.size() + 1), cuts_(team.size() - 1) {
    for (std::size_t i = 0; i < sorted.size(); ++i) sums_[i + 1] = sums_[i] + weights[sorted[i].index];
  }

  Status run() {
    double total = sums_.back();
    Status status = team_.sum({&total, 1});
    share_ = total / team_.size();
    for (unsigned level = 0; status.ok() && level < kDeepest && !fine_enough_; ++level) status = narrow(level);
    return status;
  }

  std::vector<std::uint64_t> take_cuts() { return std::move(cuts_); }

 private:
  double weight_below(std::uint64_t key) const {
    const auto at = std::partition_point(sorted_.begin(), sorted_.end(), [&](const auto& k) { return k.key < key; });
    return sums_[std::size_t(at - sorted_.begin())];
  }

  // Each cut moves up to the highest eighth of its range with not too much weight below. There is always an eighth that
  // the wanted weight lies in.
  Status narrow(unsigned level) {
    const std::uint64_t step = std::uint64_t{1} << (3 * (kDeepest - 1 - level));
    std::vector<double> below(9 * cuts_.size());
    for (std::size_t cut = 0; cut < cuts_.size(); ++cut)
      for (unsigned i = 0; i < 9; ++i) below[9 * cut + i] = weight_below(cuts_[cut] + i * step);
    Status status = team_.sum(below);
    if (!status.ok()) return status;
    fine_enough_ = true;
    for (std::size_t cut = 0; cut < cuts_.size(); ++cut) {
      const double* weights = below.data() + 9 * cut;
      unsigned i = 0;
      while (i < 7 && weights[i + 1] <= share_ * double(cut + 1)) ++i;
      cuts_[cut] += i * step;
      if (weights[i + 1] - weights[i] > kNegligible * share_) fine_enough_ = false;
    }
    return {};
  }

  const Team& team_;
  std::span<const KeyedIndex> sorted_;
  std::vector<double> sums_;  // of the weights before each key
  std::vector<std::uint64_t> cuts_;
  double share_ = 0;
  bool fine_enough_ = false;
};

}  // namespace

Result<std::vector<std::uint64_t>> find_cuts(const Team& team, std::span<const KeyedIndex> sorted,
                                             std::span<const double> weights) {
  CutSearch search(team, sorted, weights);
  Status status = team.size() > 1 ? search.run() : Status();
  if (!status.ok()) return status;
  return search.take_cuts();
}

}  // namespace fmm
