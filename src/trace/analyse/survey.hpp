// Goes through a job once and finds what ties its ranks together: flows and meetings. On the way it learns from the
// flows how the clocks of machines stand to each other.
#pragma once

#include "trace/analyse/flows.hpp"
#include "trace/analyse/meetings.hpp"
#include "trace/read/job.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <functional>
#include <span>

namespace polder::trace {

struct SurveyCounts {
  std::uint64_t events = 0;
  std::uint64_t flows = 0;
  std::uint64_t meetings = 0;
  std::int64_t end_ns = 0;             // of the last event
  std::int64_t most_backwards_ns = 0;  // of a flow that is received before it was sent, with clocks as they were
};

struct SurveyVisitors {
  std::function<void(const Flow&)> flow = {};
  std::function<void(std::span<const Attendance>)> meeting = {};  // at least two members
};

// Puts the clocks of `job` right where it spans machines.
Status align_clocks(Job& job);

// Memory: some 100 MB at most.
Result<SurveyCounts> survey(Job& job, const SurveyVisitors& visitors);

}  // namespace polder::trace
