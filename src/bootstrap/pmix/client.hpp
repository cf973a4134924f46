// PMIx (pmix.github.io, versions 4.2 and newer) as far as Polder speaks it: facts of the job, records of ranks, events,
// and the end of the job. Every call that can wait ends in time, whatever the launcher's daemon does.
#pragma once

#include "bootstrap/pmix/answer.hpp"
#include "bootstrap/pmix/kept.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <pmix.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polder::bootstrap::pmix {

// Who may read a record: the ranks of its node, or all.
enum class Reach { node, job };

// Thread safe.
class Client {
 public:
  // Initialises PMIx; it counts its users, so MPI may have done so before, or do it later.
  static Result<std::unique_ptr<Client>> create();
  // Finalizes it. Launchers take the end of a process that has not done so for a failure. In a child of the process
  // that made it, does nothing.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // False in a child of the process that made it, which inherits this object but not PMIx's thread.
  bool is_ours() const { return process_ == getpid(); }

  Rank rank() const { return me_.rank; }
  std::string job_name() const { return me_.nspace; }
  pmix_proc_t process_of(Rank rank) const;
  pmix_proc_t all_processes() const { return process_of(PMIX_RANK_WILDCARD); }

  // Facts that the launcher gave to all ranks, under the names of the standard.
  Result<std::uint32_t> job_number(const char* key) const;
  Result<std::string> job_text(const char* key) const;
  // A fact of one rank, likewise.
  Result<std::string> rank_text(Rank rank, const char* key) const;

  // Visible to others at once. A key that was put before gets the new value.
  Status put(Reach reach, const std::string& key, std::span<const std::byte> value) const;

  // What `owner` has put, fetched from its node when it is first asked for (PMIx calls this a direct modex). Waits
  // until the owner has put anything at all. `fresh`: what this node has heard of `owner` already is not enough.
  // invalid_argument: it has put something, but not this key;  timeout.
  Result<std::vector<std::byte>> get(Rank owner, const std::string& key, bool fresh, Timeout timeout) const;

  // Waits for all ranks of the job. timeout: call again to go on, for PMIx counts how often a rank comes. One thread at a time.
  Status fence(Timeout timeout);

  // Asks the launcher to end the job with `code`. Comes back in time even if the launcher does not.
  void abort(int code, std::string_view reason) const;

 private:
  explicit Client(const pmix_proc_t& me) : me_(me), process_(getpid()) {}

  const pmix_proc_t me_;
  const pid_t process_;
  std::unique_ptr<Kept> kept_ = std::make_unique<Kept>();
  SharedAnswer<pmix_status_t> fence_;  // of the fence that is under way
};

// "PMIx_Put: NOT-FOUND"
Status pmix_error(const char* operation, pmix_status_t status);

}  // namespace polder::bootstrap::pmix
