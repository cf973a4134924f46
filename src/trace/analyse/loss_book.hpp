// Adds up what ranks lose, by cause.
#pragma once

#include "trace/analyse/findings.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace polder::trace {

// Adds up losses of one cause by rank, call and culprit.
class LossBook {
 public:
  // `when` is what a person should look at, where one stretch of time lost them.
  void add(Cause cause, Rank loser, Rank culprit, const std::string& call, std::int64_t ns, std::uint64_t times = 1,
           const Instance& when = {});
  // Of what was added, so much was begun by `root`.
  void add_root(Cause cause, Rank root, std::int64_t ns);
  // Without sentences.
  std::vector<Loss> losses() const;

 private:
  struct Sum {
    std::int64_t ns = 0;
    std::uint64_t times = 0;
    Instance longest;
    std::map<Rank, std::int64_t> losers;
    std::map<Rank, std::int64_t> culprits;
    std::map<Rank, std::int64_t> roots;
    std::map<std::string, std::int64_t> calls;
  };
  std::map<Cause, Sum> sums_;
};

}  // namespace polder::trace
