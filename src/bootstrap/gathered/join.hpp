// Ranks of one machine that only have a number in their environment.
#pragma once

#include "bootstrap/bootstrap.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <memory>

namespace polder::bootstrap::gathered {

// Joins the job that the variables of read_start() (started_as.hpp) name. A process joins its job once and is of it
// until it ends: later calls, with which further runtimes begin, find the same job. Thread safe.
//   timeout: not all ranks were there in time; the message says who was missing; call again to go on;
//   invalid_argument, unsupported: see read_start(); also where there are no such variables;
//   exists: another process is this rank;  closed: this rank was declared failed.
Result<std::unique_ptr<Bootstrap>> join(Timeout timeout);

}  // namespace polder::bootstrap::gathered
