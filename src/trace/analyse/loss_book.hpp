// Adds up what ranks lose, by cause.
#pragma once

#include "trace/analyse/findings.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace polder::trace {

// Where a rank waited, in words.
const char* call_of(const RankWait& wait);

// Adds up losses of one cause by rank, call and culprit.
class LossBook {
 public:
  // `when` is what a person should look at, where one stretch of time lost them.
  void add(Cause cause, Rank loser, Rank culprit, const std::string& call, std::int64_t ns, std::uint64_t times = 1,
           const Instance& when = {});
  // A loss of a rank's own, as add() without a culprit but `peer`: whoever waits for that rank meanwhile loses by it, too.
  void add_own(Cause cause, Rank loser, Rank peer, const std::string& call, std::int64_t ns, std::uint64_t times,
               const Instance& when);
  // After all of them, and after the causes of `waits` were added: of each wait, the part in which its root lost time of
  // its own is of that cause. Returns what is left of each, ns. O(n log n).
  std::vector<std::int64_t> hand_on(std::span<const RankWait> waits);
  // Of what was added, so much was begun by `root`.
  void add_root(Cause cause, Rank root, std::int64_t ns);
  // Without sentences.
  std::vector<Loss> losses() const;

 private:
  struct Stretch {  // in which `rank` lost `ns`
    Rank rank;
    Cause cause;
    std::int64_t begin_ns, end_ns, ns;
  };
  void keep(const Stretch& stretch);
  std::int64_t hand_on(const RankWait& wait);

  struct Sum {
    std::int64_t ns = 0;
    std::int64_t others_ns = 0;
    std::uint64_t times = 0;
    Instance longest;
    std::map<Rank, std::int64_t> losers;
    std::map<Rank, std::int64_t> culprits;
    std::map<Rank, std::int64_t> roots;
    std::map<std::string, std::int64_t> calls;
  };
  std::map<Cause, Sum> sums_;
  std::vector<Stretch> stretches_;
};

}  // namespace polder::trace
