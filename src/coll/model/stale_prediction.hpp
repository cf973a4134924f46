// What stale-synchronous allreduces cost by the model, and how old their results are: the code of coll/stale over windows in
// virtual time.
#pragma once

#include "coll/model/window_model.hpp"

#include <polder/stale.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>

namespace polder::coll {

struct StaleModelCall {
  StaleShape shape = StaleShape::hypercube;
  Rank members = 1;
  std::size_t bytes = 0;  // of a member's vector, of float64
  std::uint64_t slack = 0;
  unsigned calls = 10;    // that each member makes
  unsigned cells = 4;     // StaleSpec::cells
  double compute = 0;     // us before each call
  Noise stragglers = {};  // for each call of a member: so much more before it
  bool flushes = false;   // each member, behind its calls
};

struct StaleOutcome {
  FlowOutcome flow;  // of all calls and the flush; memory is that of the windows, which `bytes` have
  double flush = 0;  // us of that time behind the last one of the calls, until all members are equal
  double mean_call = 0, longest_call = 0;  // us that a member is in a call
  double waited = 0;                       // share of the members' calls that waited for something newer
  double mean_age = 0;                     // how far the least clock in a result is behind that of its member
  std::uint64_t oldest = 0, newest = 0;    // the most of that; and how far the greatest is ahead of it at most
  Rank failed = 0;                         // members whose call ended with an error, because a member has died
};

// Calls with slack 0 are consistent allreduces, by the algorithm that the table chooses, as they are in programs. Others: the
// vector is real, of as many numbers as matter, and each result is held against what its clocks promise, that of a flush against
// all that was given; where a member computes or has made its calls, another core of it serves the others. Errors: as Stale
// says; invalid_argument: more members than the model has memory for.
Result<StaleOutcome> predict_stale(const StaleModelCall& call, WindowModelOptions options);

}  // namespace polder::coll
