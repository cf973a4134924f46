// How a process of `polder run` finds its job, and what one does that was started by hand.
#pragma once

#include "bootstrap/bootstrap.hpp"

#include <polder/status.hpp>

#include <memory>

namespace polder::bootstrap::local {

// What the launcher puts into the environment of a rank.
inline constexpr const char* kJobVariable = "POLDER_JOB";            // "/proc/PID/fd/N", the job page
inline constexpr const char* kRankVariable = "POLDER_RANK";          // this process's rank
inline constexpr const char* kLifelineVariable = "POLDER_LIFELINE";  // "/proc/PID/fd/N", see lifeline.hpp

// Joins the job of the environment as the rank that it names; without POLDER_JOB, makes a job of one rank for this
// process. Arms the lifeline. The same process may attach more than once; it is one rank.
//   invalid_argument: the environment or the page makes no sense;  peer_failed: the launcher is gone;
//   exists: another process is this rank (a child of a rank that inherited its environment);
//   closed: the rank has finished, or was declared failed.
Result<std::unique_ptr<Bootstrap>> attach_from_environment();

}  // namespace polder::bootstrap::local
