#include "trace/analyse/chains.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace polder::trace {

namespace {

constexpr std::size_t kMostLooks = 1000;

class Chains {
 public:
  explicit Chains(std::vector<RankWait>& waits) : waits_(waits) {}

  void name_all() {
    std::sort(waits_.begin(), waits_.end(), [](const RankWait& a, const RankWait& b) {
      return a.end_ns != b.end_ns ? a.end_ns < b.end_ns : a.rank < b.rank;
    });
    for (std::size_t i = 0; i < waits_.size(); ++i) {
      RankWait& wait = waits_[i];
      wait.root = root_of(wait);
      ended_[wait.rank].push_back(std::uint32_t(i));
      met_[{wait.rank, wait.from}] = wait.end_ns;
    }
  }

 private:
  // When the two were last at the same point.
  std::int64_t together(const RankWait& wait) const {
    std::int64_t since = 0;
    if (const auto own = ended_.find(wait.rank); own != ended_.end()) since = waits_[own->second.back()].end_ns;
    if (const auto other = met_.find({wait.from, wait.rank}); other != met_.end())
      since = std::max(since, other->second);
    return std::min(since, wait.begin_ns);
  }

  Rank root_of(const RankWait& wait) const {
    const auto before = ended_.find(wait.from);
    if (before == ended_.end()) return wait.from;
    const std::int64_t since = together(wait);
    std::map<Rank, std::int64_t> shares;
    std::int64_t waited = 0;
    std::size_t looks = 0;
    for (auto at = before->second.rbegin(); at != before->second.rend() && looks < kMostLooks; ++at, ++looks) {
      const RankWait& earlier = waits_[*at];
      if (earlier.end_ns <= since) break;
      const std::int64_t ns = std::min(earlier.end_ns, wait.from_ns) - std::max(earlier.begin_ns, since);
      if (ns <= 0) continue;
      waited += ns;
      shares[earlier.root] += ns;
    }
    shares[wait.from] += std::max<std::int64_t>(wait.from_ns - wait.begin_ns - waited, 0);
    shares.erase(wait.rank);  // nobody keeps itself waiting
    const auto most = std::max_element(shares.begin(), shares.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most->second > shares[wait.from] ? most->first : wait.from;
  }

  std::vector<RankWait>& waits_;
  std::map<Rank, std::vector<std::uint32_t>> ended_;   // in the order of their ends
  std::map<std::pair<Rank, Rank>, std::int64_t> met_;  // who waited for whom last: its end
};

}  // namespace

void name_roots(std::vector<RankWait>& waits) {
  Chains(waits).name_all();
}

}  // namespace polder::trace
