// The trace of a job that never ran: ranks in a ring that compute, send to their neighbours and meet. Its times are
// made up, so that its size and its faults are known.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <string>

namespace bench {

struct MadeJob {
  std::string directory;
  polder::Rank ranks = 4;
  std::uint64_t events = 100'000;  // of all ranks, about
};

// One rank, a third of the way round, computes for 30 % longer than the others, and rank 0 works alone now and then.
polder::Status make_job(const MadeJob& job);

}  // namespace bench
