#include "api/dart/job/epoch.hpp"

#include "api/dart/job/traced.hpp"
#include "api/dart/locality/gather.hpp"
#include "api/dart/locality/hardware.hpp"
#include "api/dart/memory/team_memory.hpp"

#include <polder/collective.hpp>

#include <cstdlib>
#include <utility>

namespace polder::dart {
namespace {

// Before the destructors of the program's static objects, which find that the epoch is over. A child that the program has
// forked ends alone.
void leave_at_exit() {
  if (the_unit() != nullptr && the_unit()->in_forked_child()) return;
  delete the_epoch.exchange(nullptr, std::memory_order_acq_rel);
  the_unit().reset();
}

}  // namespace

std::atomic<DartEpoch*> the_epoch{nullptr};

std::unique_ptr<DartUnit>& the_unit() {
  static auto* const unit = new std::unique_ptr<DartUnit>;  // outlives static objects that ask for it
  return *unit;
}

DartUnit::DartUnit(std::unique_ptr<Runtime> runtime)
    : runtime_(std::move(runtime)),
      hardware(discover_hardware(runtime_->host(), runtime_->local_rank())),
      letters(*runtime_),
      mailbox(*runtime_),
      atomics(*runtime_, letters) {}

DartUnit::~DartUnit() {
  pool.reset();
  letters.close();
  runtime_.reset();  // before what its handlers of messages use
}

Result<std::unique_ptr<DartUnit>> DartUnit::join() {
  name_dart_calls_in_traces();
  auto runtime = Runtime::create();
  if (!runtime.ok()) return std::move(runtime).status();
  std::unique_ptr<DartUnit> unit(new DartUnit(*std::move(runtime)));
  for (Status status : {unit->mailbox.open(), unit->atomics.open()})
    if (!status.ok()) return status;
  auto pool = unit->runtime().allocate(unit->runtime().world(), {.size = kPoolBytes, .gather = true}, Timeout::block());
  if (!pool.ok()) return std::move(pool).status();
  unit->pool = *std::move(pool);
  std::atexit(leave_at_exit);
  return unit;
}

Result<std::unique_ptr<DartEpoch>> DartEpoch::begin(DartUnit& unit) {
  std::unique_ptr<DartEpoch> epoch(new DartEpoch(unit));
  unit.mailbox.begin_epoch();
  epoch->add(std::make_unique<DartTeam>(DART_TEAM_ALL, unit.runtime().world(), nullptr));
  auto pool = segment_of(epoch->runtime(), epoch->all(), *unit.pool);
  if (!pool.ok()) return std::move(pool).status();
  epoch->all().segments.put(DART_SEGMENT_LOCAL, *std::move(pool));
  // Nobody reaches into this epoch before all are in it.
  Status status = epoch->all().group().barrier(Timeout::block());
  if (status.ok()) status = gather_locality(unit.hardware, epoch->all());
  if (!status.ok()) return status;
  return epoch;
}

DartEpoch::~DartEpoch() {
  for (std::size_t id = kTeamLimit; id-- > 0;)
    if (teams_[id].load(std::memory_order_relaxed) != nullptr) remove(dart_team_t(id));
}

// Threads may make teams of different parents at once, and in another order at another unit: what one of them has taken
// here meanwhile is no id for the other, and all members propose again.
Result<dart_team_t> DartEpoch::agree_on_id(DartTeam& parent) {
  while (true) {
    const std::int64_t mine = next_id_.load();
    std::int64_t most = 0;
    Status status = allreduce(parent.group(), Reduction::max, DataType::int64, &mine, &most, 1, Timeout::block());
    if (!status.ok()) return status;
    if (most >= std::int64_t(kTeamLimit)) return Status(Code::limit, "32767 teams have been made since dart_init");
    std::int64_t next = next_id_.load();
    while (next <= most && !next_id_.compare_exchange_weak(next, most + 1)) {
    }
    const std::int32_t taken = next <= most ? 1 : 0;
    std::int32_t all_took = 0;
    status = allreduce(parent.group(), Reduction::min, DataType::int32, &taken, &all_took, 1, Timeout::block());
    if (!status.ok()) return status;
    if (all_took != 0) return dart_team_t(most);
  }
}

void DartEpoch::add(std::unique_ptr<DartTeam> team) {
  const auto id = std::size_t(team->id());
  teams_[id].store(team.release(), std::memory_order_release);
}

void DartEpoch::remove(dart_team_t id) {
  delete teams_[std::size_t(id)].exchange(nullptr, std::memory_order_acq_rel);
}

}  // namespace polder::dart
