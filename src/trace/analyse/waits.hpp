// Waits of ranks for each other: how long, and who kept whom; and the way through the job that these waits leave, which
// took as long as the job.
#pragma once

#include "trace/analyse/flows.hpp"
#include "trace/analyse/meetings.hpp"
#include "trace/analyse/profile.hpp"
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

  // After all flows and meetings.
  void finish();

 private:
  // A rank could not go on before another had come to a point.
  struct Edge {
    Rank rank;
    Rank from;
    std::int64_t begin_ns;  // of the wait
    std::int64_t end_ns;
    std::int64_t from_ns;  // what it waited for
  };
  // Attendances in the order in which meetings took place.
  struct Meeting {
    std::int64_t last_ns;  // the last member came
    std::uint64_t number;
    Attendance member;
    bool operator<(const Meeting& other) const {
      return last_ns != other.last_ns ? last_ns < other.last_ns : number < other.number;
    }
  };

  void keep(const Edge& edge);
  void judge(std::span<const Attendance> members);
  bool is_serial(std::span<const Attendance> members, const Attendance& last) const;
  void walk_back();
  void add_to_path(Rank rank, std::int64_t from_ns, std::int64_t to_ns);

  Analysis& to_;
  LossBook& book_;
  Sorter<Meeting> meetings_;
  std::uint64_t met_ = 0;
  std::map<std::pair<std::uint32_t, Rank>, std::int64_t> left_;  // the last meeting of a group, by member
  std::vector<Edge> edges_;
  std::map<Rank, PathShare> path_;
};

}  // namespace polder::trace
