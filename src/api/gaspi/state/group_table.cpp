#include "api/gaspi/state/group_table.hpp"

#include "api/common/exclusive.hpp"
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/base/timeout.hpp"

#include <algorithm>

namespace polder::gaspi {

GroupEntry::GroupEntry(Group& world) : ranks_(world.ranks().begin(), world.ranks().end()), committed_(&world) {}

gaspi_return_t GroupEntry::add(Rank rank) {
  const std::lock_guard lock(mutex_);
  if (committed() != nullptr || group_ != nullptr) {
    return refuse(GASPI_ERR_INV_GROUP, "gaspi_group_add", "gaspi_group_commit has been called for the group already");
  }
  const auto place = std::ranges::lower_bound(ranks_, rank);
  if (place != ranks_.end() && *place == rank) {
    return refuse(GASPI_ERR_INV_RANK, "gaspi_group_add", "a rank is added once", rank);
  }
  ranks_.insert(place, rank);
  return GASPI_SUCCESS;
}

gaspi_return_t GroupEntry::commit(Runtime& runtime, Timeout timeout) {
  if (committed() != nullptr) return GASPI_SUCCESS;
  const api::Exclusive turn(in_commit_);
  if (!turn.mine()) return refuse(GASPI_ERR_ACTIVE_COLL, "gaspi_group_commit", "another thread commits the group");
  if (const gaspi_return_t code = define(runtime); code != GASPI_SUCCESS) return code;
  const Status status = group_->commit(timeout);
  if (status.ok()) committed_.store(group_.get(), std::memory_order_release);
  return outcome(status);
}

gaspi_return_t GroupEntry::define(Runtime& runtime) {
  const std::lock_guard lock(mutex_);
  if (group_ != nullptr) return GASPI_SUCCESS;
  if (!std::ranges::binary_search(ranks_, runtime.rank())) {
    return refuse(GASPI_ERR_INV_GROUP, "gaspi_group_commit", "the calling rank is not in the group");
  }
  auto group = runtime.create_group(ranks_);
  if (!group.ok()) return failed(group.status());
  group_ = *std::move(group);
  return GASPI_SUCCESS;
}

std::vector<Rank> GroupEntry::ranks() const {
  const std::lock_guard lock(mutex_);
  return ranks_;
}

GroupTable::~GroupTable() {
  for (auto& entry : entries_) delete entry.load();
}

void GroupTable::set_all(Group& world) {
  entries_[GASPI_GROUP_ALL].store(new GroupEntry(world));
}

gaspi_return_t GroupTable::create(unsigned limit, gaspi_group_t& id) {
  const std::lock_guard lock(mutex_);
  if (count() >= limit) return refuse(GASPI_ERR_MANY_GRP, "gaspi_group_create", "group_max groups exist", limit);
  const auto free = std::ranges::find_if(entries_, [](const auto& entry) { return entry.load() == nullptr; });
  free->store(new GroupEntry, std::memory_order_release);
  id = gaspi_group_t(free - std::begin(entries_));
  return GASPI_SUCCESS;
}

gaspi_return_t GroupTable::remove(gaspi_group_t id, std::optional<gaspi_segment_id_t>& given_up) {
  if (id == GASPI_GROUP_ALL) return refuse(GASPI_ERR_INV_GROUP, "gaspi_group_delete", "GASPI_GROUP_ALL stays");
  const std::lock_guard lock(mutex_);
  std::unique_ptr<GroupEntry> entry(find(id));
  if (entry == nullptr) return refuse(GASPI_ERR_INV_GROUP, "gaspi_group_delete", "the group must exist", id);
  if (entry->barrier_turns.taken() || entry->collective_turns.taken() || entry->in_commit()) {
    (void)entry.release();
    return refuse(GASPI_ERR_ACTIVE_COLL, "gaspi_group_delete", "another thread is in a collective of the group");
  }
  entries_[id].store(nullptr);
  const CreationAgreement& agreement = entry->agreement;
  if (agreement.success() && !agreement.given_up()) given_up = agreement.segment();
  return GASPI_SUCCESS;
}

bool GroupTable::give_up(gaspi_segment_id_t segment) {
  const std::lock_guard lock(mutex_);
  for (const auto& each : entries_) {
    GroupEntry* const entry = each.load(std::memory_order_acquire);
    if (entry == nullptr) continue;
    const api::Turn turn(entry->collective_turns, Deadline(Timeout::test()));
    if (!turn.mine()) continue;
    CreationAgreement& agreement = entry->agreement;
    if (agreement.segment() != segment || !agreement.success() || agreement.given_up()) continue;
    agreement.give_up();
    return true;
  }
  return false;
}

unsigned GroupTable::count() const {
  return unsigned(std::ranges::count_if(entries_, [](const auto& entry) { return entry.load() != nullptr; }));
}

}  // namespace polder::gaspi
