// Waits of ranks for each other: how long, and who kept whom; and the way through the job that these waits leave, which
// took as long as the job.
#pragma once

#include "trace/analyse/findings.hpp"
#include "trace/analyse/flows.hpp"
#include "trace/analyse/loss_book.hpp"
#include "trace/analyse/meetings.hpp"
#include "trace/analyse/sorter.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace polder::trace {

class Waits {
 public:
  Waits(Analysis& to, LossBook& book) : to_(to), book_(book) {}

  void take(const Flow& flow);
  void take(std::span<const Attendance> members);

  // After all flows and meetings. The way through the job, in the order of time; the longest waits are in the analysis.
  std::vector<PathPiece> finish();

 private:
  // Attendances in the order in which meetings took place.
  struct Meeting {
    std::int64_t last_ns;  // the last member came
    std::uint64_t number;
    Attendance member;
    bool operator<(const Meeting& other) const {
      return last_ns != other.last_ns ? last_ns < other.last_ns : number < other.number;
    }
  };

  void keep(const RankWait& wait, std::int64_t lost_ns);
  void judge(std::span<const Attendance> members);
  bool is_serial(std::span<const Attendance> members, const Attendance& last) const;
  std::vector<PathPiece> walk_back();
  void keep_longest();

  Analysis& to_;
  LossBook& book_;
  Sorter<Meeting> meetings_;
  std::uint64_t met_ = 0;
  std::map<std::pair<std::uint32_t, Rank>, std::int64_t> left_;  // the last meeting of a group, by member
  std::vector<RankWait> edges_;
};

}  // namespace polder::trace
