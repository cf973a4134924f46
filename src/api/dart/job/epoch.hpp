// What lives between dart_init and dart_exit, and what the process keeps from one such epoch to the next.
#pragma once

#include "api/dart/atomic/service.hpp"
#include "api/dart/collective/mailbox.hpp"
#include "api/dart/job/letters.hpp"
#include "api/dart/job/team.hpp"
#include "api/dart/memory/first_fit.hpp"
#include "api/dart/symbols.hpp"

#include <polder/allocation.hpp>
#include <polder/runtime.hpp>
#include <polder/status.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <unistd.h>

namespace polder::dart {

// This process as a unit: made by the first dart_init, kept until the process ends, since ranks join a job once.
class DartUnit {
 public:
  static constexpr std::size_t kPoolBytes = std::size_t{16} << 20;

  // Collective over the job.
  static Result<std::unique_ptr<DartUnit>> join();
  ~DartUnit();
  DartUnit(const DartUnit&) = delete;
  DartUnit& operator=(const DartUnit&) = delete;

  Runtime& runtime() const { return *runtime_; }
  // The unit is the parent's.
  bool in_forked_child() const { return owner_ != getpid(); }

 private:
  explicit DartUnit(std::unique_ptr<Runtime> runtime);

  std::unique_ptr<Runtime> runtime_;
  const pid_t owner_ = getpid();

 public:
  const dart_hwinfo_t hardware;
  LetterOffice letters;
  Mailbox mailbox;
  AtomicService atomics;
  std::unique_ptr<Allocation> pool;  // of dart_memalloc
  std::uint64_t epochs = 0;          // that have begun
};

class DartEpoch {
 public:
  // Collective over the job: the team of all units and its pool.
  static Result<std::unique_ptr<DartEpoch>> begin(DartUnit& unit);
  ~DartEpoch();
  DartEpoch(const DartEpoch&) = delete;
  DartEpoch& operator=(const DartEpoch&) = delete;

  DartUnit& unit() const { return unit_; }
  Runtime& runtime() const { return unit_.runtime(); }
  std::uint64_t number() const { return number_; }  // of this epoch, from 1

  // Null: this unit is in no team of this id. One load.
  DartTeam* team(dart_team_t id) const {
    return id < 0 ? nullptr : teams_[std::size_t(id)].load(std::memory_order_acquire);
  }
  DartTeam& all() const { return *team(DART_TEAM_ALL); }
  // Collective over the parent: the id of a new team, different from every one that a member has had in this epoch.
  Result<dart_team_t> agree_on_id(DartTeam& parent);
  void add(std::unique_ptr<DartTeam> team);
  void remove(dart_team_t id);

  FirstFit pool{DartUnit::kPoolBytes};

 private:
  static constexpr std::size_t kTeamLimit = 32768;

  explicit DartEpoch(DartUnit& unit) : unit_(unit), number_(++unit.epochs) {}

  DartUnit& unit_;
  const std::uint64_t number_;
  std::atomic<std::int64_t> next_id_{1};
  std::array<std::atomic<DartTeam*>, kTeamLimit> teams_{};
};

// Null outside dart_init and dart_exit. One load.
extern std::atomic<DartEpoch*> the_epoch;
inline DartEpoch* current_epoch() {
  return the_epoch.load(std::memory_order_acquire);
}

// The process's unit; null before the first dart_init. Ends with the process.
std::unique_ptr<DartUnit>& the_unit();

}  // namespace polder::dart
