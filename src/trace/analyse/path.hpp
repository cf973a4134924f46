// What ranks did on the way through the job that took as long as the job.
#pragma once

#include "trace/analyse/findings.hpp"
#include "trace/analyse/outermost.hpp"
#include "trace/read/job.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace polder::trace {

class PathReader {
 public:
  // `pieces` in the order of time.
  explicit PathReader(const std::vector<PathPiece>& pieces);

  // A rank's events, each thread's in the order of their ends.
  void take(const TraceFile& file, const Event& event);

  // After the rank's last one.
  void finish(const TraceFile& file);

  // Fills path, path_calls and path_pieces.
  void tell(Analysis& to) const;

 private:
  struct Call {
    std::int64_t begin_ns;
    std::int64_t end_ns;
    EventKind kind;
    EventKind like;
  };
  using Pieces = std::vector<PathPiece>;

  std::int64_t on_path(const Call& call) const;

  const Pieces all_;
  std::map<Rank, Pieces> of_rank_;
  std::map<Rank, PathShare> shares_;
  std::map<std::pair<Rank, std::string>, std::int64_t> calls_;

  // Of the rank at hand.
  const Pieces* pieces_ = nullptr;
  Outermost<Call> outermost_;
  std::map<EventKind, std::int64_t> by_kind_;
};

}  // namespace polder::trace
