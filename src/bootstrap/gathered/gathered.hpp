// Ranks that somebody else started form a job themselves: those of a node share a job page as those of `polder run` do,
// made by the first of them and opened by the others through /proc. Without a launcher of Polder's they watch each
// other; see watcher.hpp.
#pragma once

#include "bootstrap/bootstrap.hpp"

#include <polder/exchange.hpp>
#include <polder/status.hpp>

#include <memory>

namespace polder::bootstrap::gathered {

// Collective: succeeds or fails at all ranks alike, unless the exchange itself fails. `exchange` is used until
// share_records() returns, or until the bootstrap dies if that is earlier, by the threads that call these.
//   invalid_argument: the ranks do not agree about the job;  unsupported: ranks of one node that do not see each other.
//
// kill() and abort() reach the ranks of this node; those of others end because the caller's launcher sees ranks fail.
// Records reach other nodes once, in share_records().
Result<std::unique_ptr<Bootstrap>> create(const Exchange& exchange);

}  // namespace polder::bootstrap::gathered
