// The job page: the one piece of memory that the launcher and all ranks of a machine share. Who is there, how each is
// doing, what each has published, and requests to the launcher.
//
// It is a memory file without a name, held open by the launcher; ranks reach it as /proc/PID/fd/N. Nothing of it is
// left when its last process ends, however that happens. The same page serves ranks that are threads of one process.
#pragma once

#include "bootstrap/bootstrap.hpp"
#include "bootstrap/local/record_store.hpp"
#include "bootstrap/standing.hpp"
#include "util/bell.hpp"
#include "util/shared_memory.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace polder::bootstrap::local {

inline constexpr Rank kMaxRanks = 65535;

enum class RankState : std::uint32_t {
  starting,  // not attached: being started, or a program that does not use Polder
  attached,  // runs
  finished,  // left in good order
  failed,    // died, or was declared dead
};

// Who asked for the end of the job, and why. Written once, by the first who claims it.
struct AbortRequest {
  enum Stage : std::uint32_t { none, being_written, ready };
  static constexpr std::size_t kReasonBytes = 1024;  // longer reasons are cut

  std::atomic<std::uint32_t> stage;
  Rank rank;
  std::int32_t code;
  std::uint32_t reason_bytes;
  char reason[kReasonBytes];

  // As another process has written it.
  std::string_view text() const { return {reason, std::min<std::size_t>(reason_bytes, kReasonBytes)}; }
};

// Every field but the atomic ones is fixed before a second process or thread sees the page.
struct JobHeader {
  std::uint64_t magic;
  std::uint32_t version;
  Rank size;               // spares included
  Rank spares;             // ranks size-spares .. size-1
  std::uint32_t cores;     // that the ranks share
  std::uint64_t id;        // 64 random bits
  std::int32_t launcher;   // its process id; 0: there is none
  std::int32_t news_file;  // the launcher's descriptor of the pipe on which it takes news; -1: there is none
  char host[256];
  std::atomic<std::uint32_t> health_changes;
  AbortRequest abort;
};

struct alignas(util::kCacheLine) RankSlot {
  std::atomic<RankState> state;
  std::atomic<std::uint32_t> runtimes;     // of the rank's process that have not left, and kOneHasFinished
  std::atomic<std::int32_t> process;       // the launcher's child and leader of the rank's process group; 0: none (yet)
  std::atomic<std::int32_t> pid;           // who attached: `process`, or one below it where that is a wrapper script
  std::atomic<std::int32_t> wait_status;   // of `process`, as waitpid gave it; valid once `reaped`
  std::atomic<std::uint32_t> reaped;       // 1 once `process` has ended and its id may be somebody else's
  std::atomic<std::uint32_t> pid_ended;    // 1 once `pid` is known to have ended; for the one below a wrapper
  std::atomic<std::uint32_t> kill_asked;   // 1 + the rank that asked the launcher to end this one; 0: nobody
  std::atomic<std::uint32_t> reported_by;  // 1 + the rank that reported this one as failed; 0: nobody
  util::Bell bell;                         // rung when the state changes or a record is added
  // Of jobs without a launcher of Polder's, whose ranks watch each other; see bootstrap/gathered.
  std::atomic<std::int32_t> wake_file;       // 1 + the rank's descriptor of the pipe that wakes its watcher; 0: none
  std::atomic<std::uint64_t> started;        // when `pid` started, in clock ticks after the machine's start
  std::atomic<std::uint64_t> wake_identity;  // of that pipe, so that no other is taken for it

  static constexpr std::uint32_t kOneHasFinished = 1u << 31;  // of those that have left, one had begun
};

static_assert(sizeof(RankSlot) == util::kCacheLine);

struct JobSpec {
  Rank size = 1;
  Rank spares = 0;
  std::int32_t launcher = 0;
  std::int32_t news_file = -1;
  int cores = 0;         // 0: those on which this process may run
  std::uint64_t id = 0;  // 0: a fresh random one
};

class JobPage {
 public:
  // A fresh page, with job id, host name and number of cores filled in. invalid_argument: not 1 to kMaxRanks ranks.
  static Result<std::shared_ptr<JobPage>> create(const JobSpec& spec);

  // Maps the page behind `path` (/proc/PID/fd/N). peer_failed: that process is gone; invalid_argument: no page of this
  // version.
  static Result<std::shared_ptr<JobPage>> open(const std::string& path);

  const util::Fd& file() const { return file_; }
  JobHeader& header() const { return *reinterpret_cast<JobHeader*>(mapping_.data()); }
  Rank size() const { return header().size; }

  // REQUIRES: rank < size().
  RankSlot& slot(Rank rank) const;
  Standing& standing(Rank rank) const;
  RecordStore& store(Rank rank) const;

  RankState state(Rank rank) const { return slot(rank).state.load(std::memory_order_acquire); }
  bool is_gone(Rank rank) const { return state(rank) >= RankState::finished; }

  // One more runtime of `rank`'s process. `closed`: the rank was declared failed, or has finished and cannot come back.
  Status enter(Rank rank) const;
  // True for a rank that has finished but whose process runs on: it may enter again.
  bool may_return(Rank rank) const;

  // Marks `rank` and wakes those who wait for it. False if it had finished or failed before.
  bool declare_failed(Rank rank) const { return leave(rank, RankState::failed); }
  // One runtime less; with the last one the rank has finished. False if it was not the last, or the rank had failed
  // before.
  bool declare_finished(Rank rank) const;
  // One runtime less that has never begun: the rank has not finished by that, unless one that did begin has finished
  // before it. False if it was not the last.
  bool give_up(Rank rank) const;

  // False if somebody else was first; then nothing is stored.
  bool request_abort(Rank by, int code, std::string_view reason) const;

  // The request, or null while there is none.
  const AbortRequest* abort_request() const;

  JobPage(util::Fd file, util::Mapping mapping) : file_(std::move(file)), mapping_(std::move(mapping)) {}

 private:
  Status mark_attached(Rank rank) const;
  bool leave(Rank rank, RankState how) const;
  bool take_one_off(Rank rank) const;
  bool finish_last(Rank rank) const;

  util::Fd file_;
  util::Mapping mapping_;
};

}  // namespace polder::bootstrap::local
