// How the ranks of a job find each other: who am I, who else is there, a store for addresses, and who has died.
//
// An implementation speaks to one kind of launcher. Nothing here is on a hot path, except health(), which is a load.
#pragma once

#include "bootstrap/standing.hpp"

#include <polder/health.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polder::bootstrap {

// One line about this job, fixed at start.
struct Job {
  Rank rank = 0;
  Rank size = 1;
  Rank local_rank = 0;  // position among the ranks of this node
  Rank local_size = 1;  // ranks on this node
  Rank node = 0;  // position of this node among those of the job, by their lowest ranks; 0 where that is not known
  int cores = 1;  // cores that the ranks of this node share
  std::uint64_t id = 0;  // differs between jobs; secret enough to tell strangers from peers
  std::string host;      // name of this node
  Rank spares = 0;       // the last `spares` ranks of `size` were started to stand in for ranks that fail
};

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;

  virtual const Job& job() const = 0;

  // True if `peer` runs on this node, so that shared memory reaches it.
  virtual bool same_node(Rank peer) const = 0;

  // The lowest rank on the node of `peer`, by which nodes are told apart. Nothing: it is not known, of no peer and at
  // no rank. REQUIRES: peer < size.
  virtual std::optional<Rank> first_beside(Rank peer) const = 0;

  // Makes `value` readable by all ranks under `key`. A key is published once; a second time is Code::exists.
  // A value is at most 4 kB, a key 1 to 255 bytes, all of a rank's records 64 kB (Code::limit). Thread safe.
  virtual Status publish(std::string_view key, std::span<const std::byte> value) = 0;

  // The same for ranks of this node only: what their launcher's page holds, and nobody else is asked.
  virtual Status publish_near(std::string_view key, std::span<const std::byte> value) { return publish(key, value); }

  // The value that `owner` published under `key`, waiting for it. timeout: not there yet; peer_failed: the owner is
  // gone and never published it. Thread safe.
  virtual Result<std::vector<std::byte>> lookup(Rank owner, std::string_view key, Timeout timeout) = 0;

  // Called once, by the thread that makes the runtime, when it has published the address of its memory and its device.
  // Where records can reach other nodes in no other way, this is collective and carries all that was published.
  virtual Status share_records() { return {}; }

  // The launcher's view: healthy (running, or not started yet), finished (left in good order), failed. One relaxed
  // load.
  virtual Health health(Rank rank) const = 0;

  // Of a rank that has finished: its process runs on, so that it may join again with a new runtime.
  virtual bool may_return(Rank rank) const = 0;

  // Counts the changes of any rank's health. Ask for the word once and compare two readings of it to learn that nothing
  // happened in between: that is what the hot path does. Valid as long as this object lives.
  virtual const std::atomic<std::uint32_t>& health_changes() const = 0;

  // A rank of this job saw `rank` fail (its link broke, a user said so); tells the launcher, so that others learn of
  // it.
  virtual void report_failure(Rank rank) = 0;

  // Asks the launcher to end `rank` (kill -9) and returns at once; health() tells when it is done. Such an end is no
  // failure of the job. peer_failed if the rank is gone already.
  virtual Status kill(Rank rank) = 0;

  // The runtime that this object serves leaves in good order. With the last one of the process the rank has finished:
  // from now on its end is no failure. Called once.
  virtual void finish() = 0;

  // Ends the whole job; the launcher exits with `code` and prints `reason`. Does not return in a real job.
  virtual void abort(int code, std::string_view reason) = 0;

  // Where `rank` shows what it waits in: this rank writes its own and reads those of its node. Null: `rank` is on
  // another node, or nobody here can see. Valid as long as this object lives.
  virtual Standing* standing(Rank) const { return nullptr; }
};

}  // namespace polder::bootstrap
