#include "trace/analyse/loss_book.hpp"

#include <algorithm>
#include <utility>

namespace polder::trace {

namespace {

template <class Key>
Key largest(const std::map<Key, std::int64_t>& sums, Key none, std::int64_t least) {
  const auto most =
      std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == sums.end() || most->second < least ? none : most->first;
}

}  // namespace

void LossBook::add(Cause cause, Rank loser, Rank culprit, const std::string& call, std::int64_t ns, std::uint64_t times,
                   const Instance& when) {
  if (ns <= 0) return;
  Sum& sum = sums_[cause];
  sum.ns += ns;
  sum.times += times;
  if (when.end_ns - when.begin_ns > sum.longest.end_ns - sum.longest.begin_ns) sum.longest = when;
  sum.losers[loser] += ns;
  sum.culprits[culprit] += ns;
  sum.calls[call] += ns;
}

void LossBook::add_root(Cause cause, Rank root, std::int64_t ns) {
  if (ns > 0) sums_[cause].roots[root] += ns;
}

std::vector<Loss> LossBook::losses() const {
  std::vector<Loss> all;
  for (const auto& [cause, sum] : sums_) {
    if (sum.ns == 0) continue;
    Loss loss{.cause = cause,
              .ns = sum.ns,
              .ranks = {},
              .others = 0,
              .culprit = largest(sum.culprits, ~Rank{0}, sum.ns / 2),
              .root = largest(sum.roots, ~Rank{0}, sum.ns / 2),
              .call = largest(sum.calls, std::string(), 0),
              .times = sum.times,
              .longest = sum.longest,
              .sentence = {},
              .way_out = {}};
    std::vector<std::pair<std::int64_t, Rank>> losers;
    for (const auto& [rank, ns] : sum.losers) losers.emplace_back(-ns, rank);
    std::sort(losers.begin(), losers.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(losers.size(), 8); ++i) loss.ranks.push_back(losers[i].second);
    std::sort(loss.ranks.begin(), loss.ranks.end());
    loss.others = losers.size() - loss.ranks.size();
    all.push_back(std::move(loss));
  }
  return all;
}

}  // namespace polder::trace
