#include "trace/analyse/loss_book.hpp"

#include <algorithm>
#include <utility>

namespace polder::trace {

namespace {

constexpr std::size_t kMostStretches = 1 << 20;

template <class Key>
Key largest(const std::map<Key, std::int64_t>& sums, Key none, std::int64_t least) {
  const auto most =
      std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == sums.end() || most->second < least ? none : most->first;
}

}  // namespace

const char* call_of(const RankWait& wait) {
  switch (wait.cause) {
    case Cause::late_notification: return "wait for a notification";
    case Cause::late_sender: return "receive";
    case Cause::late_receiver: return "send";
    default: break;
  }
  for (const KindName& name : shared_kinds())
    if (name.kind == wait.call) return name.name;
  return "collective";
}

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

void LossBook::add_own(Cause cause, Rank loser, Rank peer, const std::string& call, std::int64_t ns,
                       std::uint64_t times, const Instance& when) {
  add(cause, loser, peer, call, ns, times, when);
  if (ns > 0 && when.end_ns > when.begin_ns)
    keep({loser, cause, when.begin_ns, when.end_ns, std::min(ns, when.end_ns - when.begin_ns)});
}

// Of more than memory should hold, the small ones go.
void LossBook::keep(const Stretch& stretch) {
  stretches_.push_back(stretch);
  if (stretches_.size() < 2 * kMostStretches) return;
  std::nth_element(stretches_.begin(), stretches_.begin() + kMostStretches, stretches_.end(),
                   [](const Stretch& a, const Stretch& b) { return a.ns > b.ns; });
  stretches_.resize(kMostStretches);
}

std::vector<std::int64_t> LossBook::hand_on(std::span<const RankWait> waits) {
  std::sort(stretches_.begin(), stretches_.end(), [](const Stretch& a, const Stretch& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.end_ns < b.end_ns;
  });
  std::vector<std::int64_t> left;
  left.reserve(waits.size());
  for (const RankWait& wait : waits) left.push_back(wait.from_ns - wait.begin_ns - hand_on(wait));
  return left;
}

std::int64_t LossBook::hand_on(const RankWait& wait) {
  const auto first = std::upper_bound(
      stretches_.begin(), stretches_.end(), std::pair(wait.root, wait.begin_ns),
      [](const auto& at, const Stretch& s) { return at.first != s.rank ? at.first < s.rank : at.second < s.end_ns; });
  std::int64_t handed = 0;
  for (auto at = first; at != stretches_.end() && at->rank == wait.root && at->begin_ns < wait.from_ns; ++at) {
    const std::int64_t both = std::min(at->end_ns, wait.from_ns) - std::max(at->begin_ns, wait.begin_ns);
    const auto ns = std::int64_t(double(both) * double(at->ns) / double(at->end_ns - at->begin_ns));
    if (ns <= 0) continue;
    handed += ns;
    sums_[at->cause].ns += ns;
    sums_[at->cause].others_ns += ns;
  }
  Sum& sum = sums_[wait.cause];
  sum.ns -= handed;
  sum.losers[wait.rank] -= handed;
  sum.culprits[wait.from] -= handed;
  sum.calls[call_of(wait)] -= handed;
  if (handed > 0 && handed * 10 >= 9 * (wait.from_ns - wait.begin_ns) && sum.times > 0) --sum.times;
  return handed;
}

void LossBook::add_root(Cause cause, Rank root, std::int64_t ns) {
  if (ns > 0) sums_[cause].roots[root] += ns;
}

std::vector<Loss> LossBook::losses() const {
  std::vector<Loss> all;
  for (const auto& [cause, sum] : sums_) {
    if (sum.ns <= 0 || sum.times == 0) continue;
    Loss loss{.cause = cause,
              .ns = sum.ns,
              .others_ns = sum.others_ns,
              .ranks = {},
              .others = 0,
              .culprit = largest(sum.culprits, ~Rank{0}, (sum.ns - sum.others_ns) / 2),
              .root = largest(sum.roots, ~Rank{0}, (sum.ns - sum.others_ns) / 2),
              .call = largest(sum.calls, std::string(), 0),
              .times = sum.times,
              .longest = sum.longest,
              .sentence = {},
              .way_out = {}};
    std::vector<std::pair<std::int64_t, Rank>> losers;
    for (const auto& [rank, ns] : sum.losers)
      if (ns > 0) losers.emplace_back(-ns, rank);
    std::sort(losers.begin(), losers.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(losers.size(), 8); ++i) loss.ranks.push_back(losers[i].second);
    std::sort(loss.ranks.begin(), loss.ranks.end());
    loss.others = losers.size() - loss.ranks.size();
    all.push_back(std::move(loss));
  }
  return all;
}

}  // namespace polder::trace
