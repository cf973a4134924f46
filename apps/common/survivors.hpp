// Work that is done again by those that are left when a rank dies.
#pragma once

#include "common/team.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace apps {

// What a death has cost.
struct Recovery {
  std::vector<polder::Rank> lost;  // ranks of the job
  double seconds = 0;              // from the error that told of it until the new team began
};

// Ranks of a job of which the first so many that live work, while the others, the spares, wait to take the place of one that
// dies. Where no spare is left, fewer work. polder run must not end the job at the first death: --keep-going.
class Survivors {
 public:
  // `patience`: seconds, of the teams, and of what is done between two of them.
  Survivors(polder::Runtime& runtime, unsigned spares, double patience);
  ~Survivors();
  Survivors(const Survivors&) = delete;
  Survivors& operator=(const Survivors&) = delete;

  // The whole job: calls work() at the ranks that are to work, with a team of them, until no death of one of them has
  // disturbed it, and then what it returned counts, at spares too, which wait however long it takes. An error of one rank
  // is an error of all, as of Team::agree(). work() finds out by itself what is left of the time before: any member may be
  // new.
  Status run(const std::function<Status(const Team& team)>& work);

  // Whether this rank is the first of those that live: it has worked, and speaks for all.
  bool is_first() const;
  const std::vector<Recovery>& recoveries() const { return recoveries_; }

 private:
  polder::Group& all() const;
  Status work_once(const std::function<Status(const Team& team)>& work);
  std::span<const polder::Rank> workers() const;
  Status meet(const Status& mine, bool& again);
  Status agree_who_failed(const Status& mine, bool failed);
  Status make_smaller();

  polder::Runtime& runtime_;
  unsigned workers_;
  double patience_;
  std::unique_ptr<polder::Group> living_;  // null: the world
  std::vector<Recovery> recoveries_;
};

// Whether somebody's death is what this error tells of.
inline bool tells_of_death(const Status& status) {
  return status.code() == Code::peer_failed;
}

}  // namespace apps
